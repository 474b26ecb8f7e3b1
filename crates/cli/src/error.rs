//! What makes a command fail, and the exit code that follows.

use std::error::Error;
use std::fmt::Display;

use review_config::{ConfigError, ConfigFile, FileFault};
use review_engine::{EngineError, UNREADABLE_HINT};
use review_process::signals::Interrupt;
use review_report::style::{ERROR, HINT, RESET};
use review_report::{NoteLevel, SourceNote, printable};
use review_store::ConfineError;
use review_types::{ExitCode, causes, error_chain};

/// What a command ends with.
pub(crate) type CommandResult = Result<ExitCode, CommandError>;

/// A command that failed: why, where, and what to try next.
#[derive(Debug)]
pub(crate) struct CommandError {
    code: ExitCode,
    message: String,
    causes: Vec<String>,
    notes: Vec<SourceNote>,
    hints: Vec<String>,
}

impl CommandError {
    /// An error with its message, lower case and without a full stop.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            code: ExitCode::Error,
            message: message.into(),
            causes: Vec::new(),
            notes: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// What is forbidden, to this user or in this state.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(message).exits(ExitCode::NotPassed)
    }

    /// A selection that is empty.
    pub(crate) fn nothing(message: impl Into<String>) -> Self {
        Self::new(message).exits(ExitCode::Nothing)
    }

    /// Ends the process with another exit code.
    pub(crate) fn exits(self, code: ExitCode) -> Self {
        Self { code, ..self }
    }

    /// What fails after a signal fails because of it.
    pub(crate) fn after(self, interrupt: Option<Interrupt>) -> Self {
        let code = interrupt.map_or(self.code, exit_code);
        self.exits(code)
    }

    /// Adds what caused it.
    pub(crate) fn source(mut self, source: impl Error + 'static) -> Self {
        self.causes = causes(&source);
        self
    }

    /// Adds something to try.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds several things to try.
    pub(crate) fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// The message alone, with its causes and the places that it is about.
    pub(crate) fn message(&self) -> String {
        let places: Vec<_> = self.notes.iter().map(SourceNote::brief).collect();
        let places = Some(places.join("; ")).filter(|places| !places.is_empty());
        let parts = std::iter::once(&self.message)
            .chain(&self.causes)
            .chain(&places);
        parts.map(String::as_str).collect::<Vec<_>>().join(": ")
    }

    /// The exit code of a process that ends with it.
    pub(crate) fn exit_code(&self) -> ExitCode {
        self.code
    }

    /// The error as users read it, with styles.
    pub(crate) fn render(&self) -> String {
        let mut text: String = self.notes.iter().map(SourceNote::render).collect();
        let message = printable(&self.message);
        text.push_str(&format!("{ERROR}error{RESET}: {message}\n"));
        for cause in &self.causes {
            text.push_str(&format!("  cause: {}\n", printable(cause)));
        }
        for hint in &self.hints {
            text.push_str(&format!("  {HINT}hint{RESET}: {}\n", printable(hint)));
        }
        text
    }
}

/// The end of a command that says whether something holds.
pub(crate) fn passed_if(holds: bool) -> CommandResult {
    Ok(match holds {
        true => ExitCode::Passed,
        false => ExitCode::NotPassed,
    })
}

/// The exit code of a process that a signal ended.
pub(crate) fn exit_code(interrupt: Interrupt) -> ExitCode {
    match interrupt {
        Interrupt::Int => ExitCode::Interrupted,
        Interrupt::Term => ExitCode::Terminated,
        Interrupt::Hangup => ExitCode::HungUp,
    }
}

/// Says what cannot be done, with the caught error as its cause.
pub(crate) fn cannot<E: Error + 'static>(what: impl Display) -> impl FnOnce(E) -> CommandError {
    let error = CommandError::new(format!("cannot {what}"));
    |cause| error.source(cause)
}

impl<E: Error + 'static> From<E> for CommandError {
    fn from(error: E) -> Self {
        let error: &(dyn Error + 'static) = &error;
        let told = Self::new(error_chain(error));
        if let Some(error) = error.downcast_ref() {
            of_engine(told, error)
        } else if let Some(error) = error.downcast_ref() {
            of_config(told, error)
        } else if let Some(error) = error.downcast_ref() {
            of_path(told, error)
        } else {
            told
        }
    }
}

fn of_path(told: CommandError, error: &ConfineError) -> CommandError {
    match error {
        ConfineError::DeadLink { .. } => told.hint(UNREADABLE_HINT),
        ConfineError::Outside { .. } | ConfineError::LinkOut { .. } => {
            told.hint("name a root that holds it with --root")
        }
        _ => told,
    }
}

fn of_config(mut told: CommandError, error: &ConfigError) -> CommandError {
    let faults = error.in_file.iter();
    told.notes = faults.map(|fault| note(&error.file, fault)).collect();
    told.hint(&error.help)
}

/// A fault of a configuration file with the lines that it is about.
fn note(file: &ConfigFile, fault: &FileFault) -> SourceNote {
    let place = (fault.position.line, fault.span.clone());
    let message = fault.message.clone();
    let note = SourceNote::new(NoteLevel::Error, message, file.name(), file.text(), place);
    match &fault.help {
        Some(help) => note.help(help.clone()),
        None => note,
    }
}

fn of_engine(told: CommandError, error: &EngineError) -> CommandError {
    match error {
        EngineError::Refused { hint, code, .. } => told.exits(*code).hints(hint.clone()),
        EngineError::Absent { hint, .. } => told.hint(hint),
        EngineError::NoVersion { agent, .. } => {
            told.hint(format!("`ralph learn show {agent}` lists the versions"))
        }
        EngineError::AnotherVersion {
            run,
            version,
            cause,
        } if version == env!("RALPH_VERSION") => {
            CommandError::new(format!("run {}: {cause}", run.short()))
        }
        EngineError::Unreadable(_) => told.hint(UNREADABLE_HINT),
        EngineError::Confine(error) => of_path(told, error),
        _ => told,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use review_config::{Config, Sources};

    use super::*;

    #[test]
    fn all_faults_of_a_configuration_are_shown_at_once_with_their_lines() {
        let text = "reviewr = \"builtin\"\n[review]\nmax_iterations = 0\n";
        let file = ConfigFile::new("ralph.toml", text);
        let variables = BTreeMap::from([("RALPH_AGENT_IDLE_TIMEOUT".into(), "soon".into())]);
        let sources = Sources {
            file: &file,
            variables: &variables,
            settings: &[],
            gone: &[],
        };
        let error = Config::resolve(sources).unwrap_err();
        let error = CommandError::from(error);
        assert_eq!(error.exit_code(), ExitCode::Error);
        assert_eq!(
            anstream::adapter::strip_str(&error.render()).to_string(),
            "error: unknown key `reviewr`\n\
             \x20--> ralph.toml:1:1\n\
             \x20 |\n\
             1 | reviewr = \"builtin\"\n\
             \x20 | ^^^^^^^\n\
             \x20 |\n\
             \x20 = help: did you mean `reviewer`?\n\
             error: `review.max_iterations`: expected an integer from 1, found integer `0`\n\
             \x20--> ralph.toml:3:18\n\
             \x20 |\n\
             3 | max_iterations = 0\n\
             \x20 |                  ^\n\
             error: RALPH_AGENT_IDLE_TIMEOUT: \"soon\" is not a duration: write 90s, 10m or 2h\n\
             \x20 hint: `ralph schema config` lists the keys and what they mean\n"
        );
    }

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Link(&'static str, #[source] Option<Box<Link>>);

    fn link(text: &'static str, cause: Option<Link>) -> Link {
        Link(text, cause.map(Box::new))
    }

    #[test]
    fn a_cause_that_was_printed_is_not_printed_again() {
        let inner = link("no space", Some(link("os error 28", None)));
        let told = link("cannot write: no space", Some(inner));
        assert_eq!(error_chain(&told), "cannot write: no space: os error 28");
        let error = CommandError::new("cannot go on")
            .source(told)
            .hint("make room");
        assert_eq!(
            anstream::adapter::strip_str(&error.render()).to_string(),
            "error: cannot go on\n\
             \x20 cause: cannot write: no space\n\
             \x20 cause: os error 28\n\
             \x20 hint: make room\n"
        );
        assert_eq!(
            error.message(),
            "cannot go on: cannot write: no space: os error 28"
        );
    }
}
