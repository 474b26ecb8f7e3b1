//! What makes a command fail, and the exit code that follows.

use std::error::Error;

use review_config::{ConfigError, ConfigFile, FileFault};
use review_engine::learn::{CONFIG_FILE, LearnError};
use review_engine::{EngineError, UNREADABLE_HINT, causes, error_chain};
use review_process::signals::Interrupt;
use review_report::style::{ERROR, HINT, RESET};
use review_report::{NoteLevel, SourceNote, printable};
use review_store::ConfineError;
use review_types::ExitCode;

/// What a command ends with.
pub(crate) type Ended = Result<ExitCode, CommandError>;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The command line asks for something that cannot be.
    Usage,
    /// The configuration cannot be used.
    Config,
    /// A file or standard input cannot be read.
    Input,
    /// A file or standard output cannot be written.
    Output,
    /// The request is forbidden, to this user or in this state.
    Refused,
    /// The selection is empty.
    Nothing,
    /// SIGINT ended the command.
    Interrupted,
    /// SIGTERM ended the command.
    Terminated,
    /// SIGHUP ended the command.
    HungUp,
}

impl ErrorKind {
    /// The exit code of a process that fails this way.
    pub(crate) const fn exit_code(self) -> ExitCode {
        match self {
            Self::Usage | Self::Config | Self::Input | Self::Output => ExitCode::Error,
            Self::Refused => ExitCode::NotPassed,
            Self::Interrupted => ExitCode::Interrupted,
            Self::Terminated => ExitCode::Terminated,
            Self::HungUp => ExitCode::HungUp,
            Self::Nothing => ExitCode::Nothing,
        }
    }
}

impl From<Interrupt> for ErrorKind {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Int => Self::Interrupted,
            Interrupt::Term => Self::Terminated,
            Interrupt::Hangup => Self::HungUp,
        }
    }
}

/// A command that failed: why, where, and what to try next.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    notes: Vec<SourceNote>,
    hints: Vec<String>,
}

impl CommandError {
    /// An error with its message, lower case and without a full stop.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            notes: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// An input that cannot be used, in the words of `error` and its causes.
    pub(crate) fn input(error: &(dyn Error + 'static)) -> Self {
        let told = Self::new(ErrorKind::Input, error_chain(error));
        match error.downcast_ref() {
            Some(ConfineError::DeadLink { .. }) => told.hint(UNREADABLE_HINT),
            Some(ConfineError::Outside { .. } | ConfineError::LinkOut { .. }) => {
                told.hint("name a root that holds it with --root")
            }
            _ => told,
        }
    }

    /// What fails after a signal fails because of it.
    pub(crate) fn after(self, interrupt: Option<Interrupt>) -> Self {
        Self {
            kind: interrupt.map_or(self.kind, ErrorKind::from),
            ..self
        }
    }

    /// Adds what caused it.
    pub(crate) fn source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Adds something to try.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds places in files that it is about; they are shown before the message.
    pub(crate) fn notes(mut self, notes: impl IntoIterator<Item = SourceNote>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The message alone, with its causes and the places that it is about.
    pub(crate) fn message(&self) -> String {
        let cause = self.source.as_deref().map(|source| error_chain(source));
        let places: Vec<_> = self.notes.iter().map(SourceNote::brief).collect();
        let places = Some(places.join("; ")).filter(|places| !places.is_empty());
        let parts = [Some(self.message.clone()), cause, places];
        parts.into_iter().flatten().collect::<Vec<_>>().join(": ")
    }

    /// The exit code of a process that ends with it.
    pub(crate) fn exit_code(&self) -> ExitCode {
        self.kind.exit_code()
    }

    /// The error as users read it, with styles.
    pub(crate) fn render(&self) -> String {
        let mut text: String = self.notes.iter().map(SourceNote::render).collect();
        let message = printable(&self.message);
        text.push_str(&format!("{ERROR}error{RESET}: {message}\n"));
        let source = self.source.as_deref();
        for cause in source.into_iter().flat_map(|source| causes(source)) {
            text.push_str(&format!("  cause: {}\n", printable(&cause)));
        }
        for hint in &self.hints {
            text.push_str(&format!("  {HINT}hint{RESET}: {}\n", printable(hint)));
        }
        text
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> Self {
        let hint = error.help();
        let told = Self::new(ErrorKind::Config, error.to_string());
        let told = match error {
            ConfigError::Values { file, in_file, .. } => {
                told.notes(in_file.into_iter().map(|fault| note(&file, fault)))
            }
            ConfigError::Profile { .. } => told,
        };
        hint.into_iter().fold(told, Self::hint)
    }
}

/// A fault of a configuration file with the lines that it is about.
fn note(file: &ConfigFile, fault: FileFault) -> SourceNote {
    let place = (fault.position.line, fault.span);
    let level = NoteLevel::Error;
    let note = SourceNote::new(level, fault.message, file.name(), file.text(), place);
    match fault.help {
        Some(help) => note.help(help),
        None => note,
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused { message, hint } => {
                let told = Self::new(ErrorKind::Usage, message);
                hint.into_iter().fold(told, Self::hint)
            }
            EngineError::Nothing { message, hint } => {
                let told = Self::new(ErrorKind::Nothing, message);
                hint.into_iter().fold(told, Self::hint)
            }
            EngineError::AnotherVersion {
                run,
                version,
                cause,
            } if version == env!("RALPH_VERSION") => {
                Self::new(ErrorKind::Input, format!("run {}: {cause}", run.short()))
            }
            EngineError::Unreadable(_) => {
                Self::new(ErrorKind::Input, error.to_string()).hint(UNREADABLE_HINT)
            }
            EngineError::Confine(error) => Self::input(&error),
            error => Self::new(ErrorKind::Input, error.to_string()),
        }
    }
}

impl From<LearnError> for CommandError {
    fn from(error: LearnError) -> Self {
        let (kind, hint) = match &error {
            LearnError::Config(_) | LearnError::InvalidConfig(_) | LearnError::Template(_) => {
                (ErrorKind::Config, None)
            }
            LearnError::NotConfigured => {
                let hint = "an empty table [learning] in ralph.toml switches it on";
                (ErrorKind::Config, Some(hint.to_owned()))
            }
            LearnError::NoPrompt { agent, usual, .. } => {
                let key = format!("learning.agents.{agent}.prompt");
                let hint = format!("name its file by the key {key}, or write {usual}");
                (ErrorKind::Config, Some(hint))
            }
            LearnError::Root(_)
            | LearnError::Lexicon { .. }
            | LearnError::Read(_)
            | LearnError::PromptNotUtf8(_)
            | LearnError::Uneditable { .. }
            | LearnError::Unanswered(_) => (ErrorKind::Input, None),
            LearnError::Write(_) | LearnError::Performance(_) => (ErrorKind::Output, None),
            LearnError::Ambiguous { .. } => {
                (ErrorKind::Usage, Some("give more of the id".to_owned()))
            }
            LearnError::NotFound(_) => {
                let hint = "`ralph learn show` lists the lessons, with an agent its feedback";
                (ErrorKind::Usage, Some(hint.to_owned()))
            }
            LearnError::NoVersion { agent, .. } => (ErrorKind::Usage, Some(versions_of(agent))),
            LearnError::UnusedVersion { .. } => {
                let hint = "`ralph learn stats` lists the agents and their versions";
                (ErrorKind::Usage, Some(hint.to_owned()))
            }
            LearnError::RejectedLesson { agent, .. } => {
                let hint = format!(
                    "`ralph learn rollback {agent}` goes back to the latest version without it, \
                     and `ralph learn show {agent}` lists the versions with their lessons"
                );
                (ErrorKind::Refused, Some(hint))
            }
            LearnError::NotApprover { .. } => {
                let hint = "prompt_evolution.approval_gate.approvers lists them";
                (ErrorKind::Refused, Some(hint.to_owned()))
            }
            LearnError::Unwordable(_) => (ErrorKind::Usage, None),
            LearnError::SwitchedOff(_)
            | LearnError::FirstVersion { .. }
            | LearnError::Settled(_) => (ErrorKind::Refused, None),
            LearnError::Interrupted => (ErrorKind::Interrupted, None),
            LearnError::Engine(_) => (ErrorKind::Input, None),
        };
        let told = match error {
            LearnError::Engine(error) => return error.into(),
            LearnError::Config(source) => {
                let message = format!("cannot read {CONFIG_FILE}");
                Self::new(kind, message).source(source)
            }
            LearnError::Lexicon { path, source } => Self {
                source: Some(source),
                ..Self::new(kind, format!("cannot read {}", path.display()))
            },
            LearnError::Read(_) | LearnError::Write(_) => Self::new(kind, error_chain(&error)),
            _ => Self::new(kind, error.to_string()),
        };
        hint.into_iter().fold(told, Self::hint)
    }
}

fn versions_of(agent: &str) -> String {
    format!("`ralph learn show {agent}` lists the versions")
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
             error: `review.max_iterations`: expected an integer from 1, found `0`\n\
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
        let error = CommandError::new(ErrorKind::Output, "cannot go on")
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
