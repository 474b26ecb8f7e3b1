//! Why something about learning could not be done.

use std::error::Error;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;

use review_learning::Id;
use review_learning::lesson::{AlreadyDecided, Unwordable};
use review_learning::prompt::SectionError;
use review_store::{ConfineError, FileError, LearningFileError};

use super::CONFIG_FILE;
use crate::consultation::Unanswered;
use crate::error::EngineError;

/// The maximum number of ids that a message lists.
const LISTED: usize = 5;

fn first(ids: &[String]) -> String {
    let listed = ids.len().min(LISTED);
    ids[..listed].join(", ")
}

/// Why something about learning could not be done.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The file of the configuration cannot be read.
    #[error("cannot read {CONFIG_FILE}")]
    Config(#[source] io::Error),
    /// The file of the configuration is not valid.
    #[error("{0}")]
    InvalidConfig(String),
    /// Nothing is learned in this root.
    #[error(
        "nothing is learned here: there is no {CONFIG_FILE}, and no table [learning] in ralph.toml"
    )]
    NotConfigured,
    /// The configuration forbids it.
    #[error("this is switched off by {0} = false")]
    SwitchedOff(&'static str),
    /// The root cannot be opened.
    #[error(transparent)]
    Root(FileError),
    /// The user's own lexicon cannot be used.
    #[error("cannot read {}", path.display())]
    Lexicon {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Read(Box<dyn Error + Send + Sync>),
    /// A file cannot be written.
    #[error(transparent)]
    Write(Box<dyn Error + Send + Sync>),
    /// The performance of a version cannot be followed.
    #[error(transparent)]
    Performance(LearningFileError),
    /// No lesson, group or entry has an id that starts so.
    #[error("no lesson, group or entry has the id \"{0}\"")]
    NotFound(String),
    /// Several have ids that start so.
    #[error("\"{id}\" is ambiguous; it matches {}", first(matching))]
    Ambiguous {
        /// The start of an id.
        id: String,
        /// The ids that start so.
        matching: Vec<String>,
    },
    /// A prompt has no such version.
    #[error("the prompt of {agent} has no version {version}")]
    NoVersion {
        /// Whose prompt.
        agent: String,
        /// The version.
        version: NonZeroU32,
    },
    /// No run used a version.
    #[error("no run used version {version} of {agent}")]
    UnusedVersion {
        /// Whose prompt.
        agent: String,
        /// The version.
        version: NonZeroU32,
    },
    /// The prompt of an agent is not UTF-8.
    #[error("{0} is not valid UTF-8")]
    PromptNotUtf8(String),
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
    /// A prompt cannot be edited.
    #[error("the prompt of {agent} cannot be edited: {source}")]
    Uneditable {
        /// Whose prompt.
        agent: String,
        /// Why.
        source: SectionError,
    },
    /// A version was made from no other one.
    #[error("version {version} of the prompt of {agent} has none before it")]
    FirstVersion {
        /// Whose prompt.
        agent: String,
        /// The version.
        version: NonZeroU32,
    },
    /// A version holds a lesson that was rejected.
    #[error("version {version} of the prompt of {agent} holds lesson {lesson}, which is rejected")]
    RejectedLesson {
        /// Whose prompt.
        agent: String,
        /// The version.
        version: NonZeroU32,
        /// The lesson.
        lesson: Id,
    },
    /// A user may not decide on lessons.
    #[error("{by} may not decide on lessons; those who may are: {}", approvers.join(", "))]
    NotApprover {
        /// The user.
        by: String,
        /// Those who may.
        approvers: Vec<String>,
    },
    /// A lesson cannot have these words.
    #[error("the lesson cannot have these words: {0}")]
    Unwordable(#[from] Unwordable),
    /// There is nothing to decide about a lesson.
    #[error(transparent)]
    Settled(#[from] AlreadyDecided),
    /// The prompt for the reviewer that writes lessons cannot be read.
    #[error("lesson_extraction.template: {0}")]
    Template(ConfineError),
    /// The reviewer that writes lessons gave no answer, and the analysis ends.
    #[error(transparent)]
    Unanswered(Unanswered),
    /// A signal ended the analysis.
    #[error("interrupted")]
    Interrupted,
    /// The engine could not do its part.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl LearnError {
    /// A file that cannot be read.
    pub fn read(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Read(Box::new(error))
    }

    /// A file that cannot be written.
    pub fn write(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Write(Box::new(error))
    }
}
