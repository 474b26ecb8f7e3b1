//! Words about calls, the same for all programs.

use std::error::Error;
use std::fmt::{self, Display};
use std::time::Duration;

use review_process::SpawnError;
use review_store::{ConfineError, FileError};
use review_types::{LimitKind, plural};

use crate::no_answer::NoAnswer;
use review::events::AgentRole;

/// Names a call in messages: ``reviewer `./judge` ``.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    pub(crate) role: AgentRole,
    pub(crate) program: &'a str,
}

impl Display for Caller<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.role.as_str(), self.program)
    }
}

impl Caller<'_> {
    /// A program that the system did not start.
    pub(crate) fn not_started(self, error: &SpawnError) -> NoAnswer {
        let cause = error.source().map(|cause| format!(": {cause}"));
        let role = self.role.as_str();
        let message = format!("{role}: {error}{}", cause.unwrap_or_default());
        NoAnswer::not_started(self.program, message)
    }

    /// A program that was not started, since there is nothing to show to it.
    pub(crate) fn no_prompt(self, error: &ConfineError) -> NoAnswer {
        let message = format!("{self} was not started: {error}");
        NoAnswer::not_started(self.program, message)
    }

    /// A program that was not started, since its configuration cannot be used.
    pub(crate) fn misconfigured(self, error: impl Display) -> NoAnswer {
        let message = format!("{self} was not started: {error}");
        NoAnswer::not_started(self.program, message)
    }

    /// A program whose changes to the project cannot be seen.
    pub(crate) fn not_watched(self, error: &FileError) -> NoAnswer {
        let message = format!("the files of the project cannot be watched: {error}");
        NoAnswer::not_started(self.program, message)
    }
}

/// What became of a call whose limit ran out.
pub(crate) fn hung(limit: LimitKind, after: Duration) -> String {
    match limit {
        LimitKind::Wall => {
            format!("was not done after {after:.0?} and was ended; --call-timeout gives it more")
        }
        LimitKind::Idle => {
            format!("said nothing for {after:.0?} and was ended; --idle-timeout gives it more")
        }
    }
}

/// What became of a call that wrote more than `limit` bytes.
pub(crate) fn too_large(limit: u64) -> String {
    let count = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = plural(count, "byte", "bytes");
    format!("wrote more than {bytes}, which is not read")
}

/// What a program said of its failure, as the end of a message.
pub(crate) struct Said<'a>(pub(crate) &'a str);

impl Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim_end() {
            "" => f.write_str("; it wrote nothing to its standard error"),
            said => write!(f, "; its standard error ended with:\n{said}"),
        }
    }
}
