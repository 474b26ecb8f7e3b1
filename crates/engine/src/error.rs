//! Why a run could not be started or not be brought to its end.

use std::num::NonZeroU32;

use review_agents::ArtifactTooLarge;
use review_flow::{DriveError, LogError, Stop};
use review_lane::LaneError;
use review_learning::AgentName;
use review_learning::lesson::{AlreadyDecided, Unwordable};
use review_process::git::NoBase;
use review_store::{ConfineError, FileError, LearningFileError, LockError, RunError, StateError};
use review_tasks::SelectionError;
use review_types::{ConfigError, ExitCode, IdError, RunId};

/// Why a run could not be started or not be brought to its end.
///
/// Only what callers tell apart is a variant of its own.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// What the caller asked for cannot be done.
    #[error("{message}")]
    Refused {
        /// Why not.
        message: String,
        /// What to do about it.
        hint: Option<String>,
        /// The exit code that it means.
        code: ExitCode,
    },
    /// What the caller named is not there.
    #[error("{message}")]
    Absent {
        /// What is not there.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// A prompt has no such version.
    #[error("the prompt of {agent} has no version {version}")]
    NoVersion {
        /// Whose prompt.
        agent: AgentName,
        /// The version.
        version: NonZeroU32,
    },
    /// Files of the artifact cannot be read.
    #[error("the artifact cannot be read: {0}")]
    Unreadable(String),
    /// A signal ended the process; the run can be resumed.
    #[error("run {0} was interrupted")]
    Interrupted(RunId),
    /// Something of our own failed; the run can be resumed.
    #[error("run {run} cannot go on: {source}")]
    Broken {
        /// The run.
        run: RunId,
        /// What failed.
        source: DriveError,
    },
    /// The journal of a run does not fit this program.
    #[error("run {} was made by ralph {version}, which can resume it", run.short())]
    AnotherVersion {
        /// The run.
        run: RunId,
        /// The version that made it.
        version: String,
        /// What does not fit.
        cause: String,
    },
    /// The state folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A stream cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A file of learning is not valid, or cannot be read or written.
    #[error(transparent)]
    LearningFile(#[from] LearningFileError),
    /// A path leads out of the root.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// No run is meant.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The journal of a run cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// No loop can run with this configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It is not known where the checkouts of a run are.
    #[error("the checkouts of the run are not known: {0}")]
    Checkouts(LaneError),
    /// A name is not valid.
    #[error(transparent)]
    Id(#[from] IdError),
}

impl EngineError {
    /// What cannot be done.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::of_code(ExitCode::Error, message)
    }

    /// What cannot be done, with an exit code of its own.
    pub(crate) fn of_code(code: ExitCode, message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            hint: None,
            code,
        }
    }

    pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(message).hint(hint)
    }

    /// What the configuration or a decision of a user forbids.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::of_code(ExitCode::NotPassed, message)
    }

    /// What is refused, with what to do about it.
    pub(crate) fn hint(mut self, what: impl Into<String>) -> Self {
        if let Self::Refused { hint, .. } = &mut self {
            *hint = Some(what.into());
        }
        self
    }

    pub(crate) fn of_artifact(error: impl std::fmt::Display) -> Self {
        Self::Unreadable(error.to_string())
    }

    pub(crate) fn of_lock(error: LockError, parent: Option<&str>) -> Self {
        match error {
            LockError::Held(held) => {
                let holder = held.holder.as_ref();
                let is_parent = holder.is_some_and(|holder| Some(holder.run.as_str()) == parent);
                let whose = if is_parent {
                    ", whose task started this process"
                } else {
                    ""
                };
                let wait = |run: &RunId| {
                    let run = run.short();
                    format!("wait for it, or look at it with `ralph watch {run}`")
                };
                Self::Refused {
                    hint: holder.map(|holder| wait(&holder.run)),
                    message: format!("{held}{whose}"),
                    code: ExitCode::Error,
                }
            }
            LockError::Missing(path) => Self::gone(&path),
            LockError::File(error) => Self::File(error),
        }
    }

    /// No commit to compare with was found.
    pub(crate) fn of_base(base: &str, reason: &NoBase) -> Self {
        let hint = match reason {
            NoBase::Shallow => {
                "fetch the history: `git fetch --unshallow`, or `fetch-depth: 0` for \
                 actions/checkout"
            }
            NoBase::NoWorkTree(_) | NoBase::Unknown => {
                "name a commit, a branch or a tag of the project's git"
            }
        };
        Self::hinted(format!("base {base}: {reason}"), hint)
    }

    /// What a run is about is not there.
    pub(crate) fn gone(path: &std::path::Path) -> Self {
        let path = path.display();
        Self::hinted(
            format!("{path} no longer exists, and the run is about it"),
            "restore it, or start a new run where it is now",
        )
    }

    pub(crate) fn of_drive(run: &RunId, source: DriveError) -> Self {
        match source {
            DriveError::Interrupted => Self::Interrupted(run.clone()),
            source => Self::Broken {
                run: run.clone(),
                source,
            },
        }
    }
}

impl From<ArtifactTooLarge> for EngineError {
    fn from(error: ArtifactTooLarge) -> Self {
        let hint = "split the spec, or review fewer files at a time";
        Self::hinted(error.to_string(), hint)
    }
}

impl From<SelectionError> for EngineError {
    fn from(error: SelectionError) -> Self {
        let options: Vec<_> = error
            .missing
            .iter()
            .map(|task| format!("--task {task}"))
            .collect();
        let options = options.join(" ");
        Self::Refused {
            message: error.to_string(),
            hint: (!options.is_empty()).then(|| format!("run what comes first, too: {options}")),
            code: ExitCode::Error,
        }
    }
}

impl From<review_lane::Refusal> for EngineError {
    fn from(refusal: review_lane::Refusal) -> Self {
        Self::Refused {
            message: format!("{}: {refusal}", refusal.code),
            hint: refusal.hint.map(str::to_owned),
            code: ExitCode::Error,
        }
    }
}

impl From<LaneError> for EngineError {
    fn from(error: LaneError) -> Self {
        match error {
            LaneError::Refused(refusal) => refusal.into(),
            LaneError::Git(error) => Self::new(error.to_string()),
            error => Self::Checkouts(error),
        }
    }
}

impl From<Unwordable> for EngineError {
    fn from(why: Unwordable) -> Self {
        Self::new(format!("the lesson cannot have these words: {why}"))
    }
}

impl From<AlreadyDecided> for EngineError {
    fn from(decided: AlreadyDecided) -> Self {
        Self::forbidden(decided.to_string())
    }
}

/// A failure of our own, as a halt.
pub(crate) fn halted(error: impl std::fmt::Display) -> Stop {
    Stop::Broken(error.to_string())
}
