//! What makes a command fail, and the exit code that follows.

use std::error::Error;

use review_config::{ConfigError, ConfigFile, FileFault};
use review_types::ExitCode;

use crate::output::style::{ERROR, HINT, RESET};
use crate::output::{NoteLevel, SourceNote, printable};

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
    /// What is asked for may not be done, by this person or as things stand.
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
        Self::new(ErrorKind::Input, chain(error))
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

    /// The message alone, with its causes.
    pub(crate) fn message(&self) -> String {
        match &self.source {
            Some(source) => format!("{}: {}", self.message, chain(source.as_ref())),
            None => self.message.clone(),
        }
    }

    /// The exit code of a process that ends with it.
    pub(crate) fn exit_code(&self) -> ExitCode {
        self.kind.exit_code()
    }

    /// The error as a person reads it, with styles.
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
            ConfigError::File { source, .. } => told.source(source),
            ConfigError::Values { file, in_file, .. } => {
                told.notes(in_file.into_iter().map(|fault| note(&file, fault)))
            }
            #[cfg(feature = "http")]
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

/// An error with its causes in one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    causes(error).join(": ")
}

/// An error and its causes, without those that the one before has told.
fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut told: Vec<String> = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !told.last().is_some_and(|last| last.ends_with(&text)) {
            told.push(text);
        }
        next = cause.source();
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use review_config::{Config, Overrides};

    use super::*;

    #[test]
    fn all_faults_of_a_configuration_are_shown_at_once_with_their_lines() {
        let text = "reviewr = \"builtin\"\n[review]\nmax_iterations = 0\n";
        let file = ConfigFile::new("ralph.toml", text);
        let variables = BTreeMap::from([("RALPH_AGENT_GRACE".into(), "soon".into())]);
        let error = Config::resolve(&file, &variables, Overrides::default()).unwrap_err();
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
             error: `review.max_iterations` must be an integer from 1\n\
             \x20--> ralph.toml:3:18\n\
             \x20 |\n\
             3 | max_iterations = 0\n\
             \x20 |                  ^\n\
             error: RALPH_AGENT_GRACE must be a duration such as 90s, 10m or 2h, got \"soon\"\n\
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
    fn a_cause_that_was_told_is_not_told_again() {
        let inner = link("no space", Some(link("os error 28", None)));
        let told = link("cannot write: no space", Some(inner));
        assert_eq!(chain(&told), "cannot write: no space: os error 28");
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
