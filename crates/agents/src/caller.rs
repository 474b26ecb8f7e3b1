//! Who is called, and why a call gave no answer, in the same words for all
//! programs.

use std::fmt::{self, Display};
use std::time::Duration;

use review::events::AgentRole;
use review_process::{InputRead, SpawnError};
use review_store::FileError;
use review_types::{
    AgentError, FailedBy, Failure, LimitKind, Missing, PromptRead, error_chain, plural,
};

/// Names the program of a call in messages, which say elsewhere what its role is.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) program: &'a str,
}

impl Display for Caller<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.program)
    }
}

impl Caller<'_> {
    /// A program that the system did not start.
    pub(crate) fn not_started(self, error: &SpawnError) -> NoAnswer {
        not_started(self.program, error_chain(error))
    }

    /// A call that was not made: it "was not started" or "was not asked".
    pub(crate) fn not_called(self, what: &str, why: impl Display) -> NoAnswer {
        setup_failed(format!("{self} {what}: {why}"))
    }

    /// A program whose changes to the project cannot be seen.
    pub(crate) fn not_watched(self, error: &FileError) -> NoAnswer {
        setup_failed(format!(
            "the files of the project cannot be watched: {error}"
        ))
    }
}

/// Why a call gave no answer.
pub(crate) type NoAnswer = Box<AgentError>;

/// A call that was not made, or whose answer does not count, since something that it
/// needs cannot be used.
pub(crate) fn setup_failed(message: String) -> NoAnswer {
    Box::new(AgentError::new(
        Failure::SetupFailed { missing: None },
        message,
    ))
}

/// How much of its prompt a program read, if that was counted.
pub(crate) fn prompt_read(input: Option<InputRead>) -> Option<PromptRead> {
    input.map(|InputRead { bytes, read }| PromptRead { bytes, read })
}

/// A program that the system did not start.
pub(crate) fn not_started(program: &str, message: String) -> NoAnswer {
    let missing = Some(Missing::Program(program.to_owned()));
    Box::new(AgentError::new(Failure::SetupFailed { missing }, message))
}

/// An agent that may only read changed these files, or a user did while it ran: both look
/// the same, so that the files stay as they are.
pub(crate) fn reader_wrote(caller: Caller<'_>, role: AgentRole, paths: Vec<String>) -> NoAnswer {
    let (who, then) = match role {
        AgentRole::Reviewer => ("reviewer", "resume the run"),
        AgentRole::Applier => ("applier", "resume the run"),
        // It reads where it plans.
        AgentRole::Implementer => ("planner", "plan again"),
    };
    let message = format!(
        "{caller} changed {}, which it may only read; the change is kept; if it was made by \
         hand while the {who} ran, {then}",
        paths.join(", ")
    );
    Box::new(AgentError::new(Failure::WroteFiles { paths }, message))
}

/// The outcome of a call, to be read after the name of who was called;
/// `log_in` says how credentials are given.
pub(crate) fn what(failure: &Failure, log_in: &str) -> String {
    match failure {
        Failure::RateLimited { of_plan: true, .. } => "has reached a limit of its plan".to_owned(),
        Failure::RateLimited { .. } => "was asked by its model's service to wait".to_owned(),
        Failure::Offline { after_ms: None } => "could not reach its model's service".to_owned(),
        Failure::Offline { after_ms: Some(ms) } => format!(
            "only waited for the network for {:.0?} and was ended",
            Duration::from_millis(*ms)
        ),
        Failure::PermissionDenied => {
            "was not allowed to do what it tried, and gave no answer".to_owned()
        }
        Failure::AuthFailed => format!("is not logged in, or its key was refused: {log_in}"),
        Failure::ModelError { status: Some(402) } => {
            "has no credit or quota left with its model's service".to_owned()
        }
        Failure::ModelError { status: Some(413) } => {
            "was sent a prompt that is longer than its model takes".to_owned()
        }
        Failure::ModelError {
            status: Some(status),
        } => {
            format!("was failed by its model's service with status {status}")
        }
        Failure::ModelError { status: None } => "was failed by its model's service".to_owned(),
        Failure::Refused => "got no answer of its model, which declined".to_owned(),
        Failure::Truncated { limit: None } => {
            "reached the longest answer that its model gives".to_owned()
        }
        Failure::Failed {
            by: FailedBy::Silence,
        } => "ended without an answer".to_owned(),
        Failure::Failed {
            by: FailedBy::Status(status),
        } => format!("ended with exit status {status}"),
        Failure::Hung { limit, after_ms } => hung(*limit, Duration::from_millis(*after_ms)),
        Failure::Failed {
            by: FailedBy::Signal(signal),
        } => format!("was ended by signal {signal}"),
        Failure::SetupFailed {
            missing: None | Some(Missing::Program(_)),
        } => "was not started".to_owned(),
        Failure::Failed {
            by: FailedBy::Protocol,
        } => "ended without the event that completes an answer".to_owned(),
        Failure::SetupFailed {
            missing: Some(Missing::Agent(asked)),
        } => {
            format!(
                "does not know the agent \"{asked}\" and used another one; `ralph doctor` checks it"
            )
        }
        Failure::Unread => "did not receive the artifact that it judged".to_owned(),
        Failure::WroteFiles { .. } => "changed files".to_owned(),
        Failure::Truncated { limit: Some(limit) } => too_large(*limit),
    }
}

/// The outcome of a call whose limit ran out.
fn hung(limit: LimitKind, after: Duration) -> String {
    match limit {
        LimitKind::Wall => {
            format!(
                "was not done after {after:.0?} and was ended; `agent.call_timeout` gives it more"
            )
        }
        LimitKind::Idle => {
            format!(
                "said nothing for {after:.0?} and was ended; `agent.idle_timeout` gives it more"
            )
        }
    }
}

/// The outcome of a call that wrote more than `limit` bytes.
fn too_large(limit: u64) -> String {
    let count = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = plural(count, "byte", "bytes");
    format!("wrote more than {bytes}, which is not read")
}

/// The end of the standard error of a program, as the end of a message.
pub(crate) struct StderrTail<'a>(pub(crate) &'a str);

impl Display for StderrTail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim_end() {
            "" => f.write_str("; it wrote nothing to its standard error"),
            said => write!(f, "; its standard error ended with:\n{said}"),
        }
    }
}
