//! Why something about learning could not be done.

use std::io;
use std::num::NonZeroU32;

use review_learning::lesson::{AlreadyDecided, Unwordable};
use review_store::{ConfineError, FileError, LearningFileError};
use review_types::ExitCode;

use crate::error::EngineError;

/// Why something about learning could not be done.
///
/// Only what callers tell apart is a variant of its own.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// What the caller asked for cannot be done.
    #[error("{message}")]
    Failed {
        /// Why not.
        message: String,
        /// What to do about it.
        hint: Option<String>,
        /// The exit code: not passed where the configuration or a decision forbids it.
        code: ExitCode,
    },
    /// No lesson, group or entry has an id that starts so.
    #[error("no lesson, group or entry has the id \"{0}\"")]
    NotFound(String),
    /// A prompt has no such version.
    #[error("the prompt of {agent} has no version {version}")]
    NoVersion {
        /// Whose prompt.
        agent: String,
        /// The version.
        version: NonZeroU32,
    },
    /// The prompt of an agent is in no file that is known.
    #[error("the prompt of {agent} is not known: {source}")]
    NoPrompt {
        /// The agent.
        agent: String,
        /// The file that it would usually be in.
        usual: String,
        /// Why the file cannot be read.
        source: ConfineError,
    },
    /// A signal ended the analysis.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file below the root cannot be read or written.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// A file of learning is not valid, or cannot be read or written.
    #[error(transparent)]
    LearningFile(#[from] LearningFileError),
    /// A stream cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The engine could not do its part.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl LearnError {
    /// What cannot be done.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            hint: None,
            code: ExitCode::Error,
        }
    }

    /// A file whose content is not text.
    pub(super) fn not_utf8(path: &str) -> Self {
        Self::failed(format!("{path} is not valid UTF-8")).hint("save it as UTF-8")
    }

    /// What the configuration or a decision of a user forbids.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            hint: None,
            code: ExitCode::NotPassed,
        }
    }

    /// What a key of the configuration forbids.
    pub fn switched_off(key: &str) -> Self {
        Self::refused(format!("this is switched off by {key} = false"))
    }

    /// The error with what to do about it.
    pub fn hint(mut self, what: impl Into<String>) -> Self {
        if let Self::Failed { hint, .. } = &mut self {
            *hint = Some(what.into());
        }
        self
    }
}

impl From<Unwordable> for LearnError {
    fn from(why: Unwordable) -> Self {
        Self::failed(format!("the lesson cannot have these words: {why}"))
    }
}

impl From<AlreadyDecided> for LearnError {
    fn from(decided: AlreadyDecided) -> Self {
        Self::refused(decided.to_string())
    }
}
