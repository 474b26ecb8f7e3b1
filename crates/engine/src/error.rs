//! Why a run could not be started or not be brought to its end.

use review_agents::ArtifactTooLarge;
use review_flow::{DriveError, LogError, Stop};
use review_lane::LaneError;
use review_process::git::NoBase;
use review_store::{ConfineError, FileError, LockError, RunError, StateError};
use review_tasks::SelectionError;
use review_types::{ConfigError, IdError, RunId};

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
    },
    /// Files of the artifact cannot be read.
    #[error("the artifact cannot be read: {0}")]
    Unreadable(String),
    /// There is nothing to work on.
    #[error("{message}")]
    Nothing {
        /// Where.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A signal ended the process; the run can be resumed.
    #[error("run {0} was interrupted")]
    Interrupted(RunId),
    /// A signal ended the planning of a spec.
    #[error("the planning was interrupted; nothing was written")]
    PlanInterrupted,
    /// Something of our own failed; the run can be resumed.
    #[error("run {run} cannot go on: {source}")]
    Broken {
        /// The run.
        run: RunId,
        /// What failed.
        source: DriveError,
    },
    /// None of the hosts of a run can be reached; it can be resumed.
    #[error("run {0} cannot go on: {1}")]
    NoHost(RunId, String),
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
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            hint: Some(hint.into()),
        }
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
        }
    }
}

impl From<review_lane::Refusal> for EngineError {
    fn from(refusal: review_lane::Refusal) -> Self {
        Self::Refused {
            message: format!("{}: {refusal}", refusal.code),
            hint: refusal.hint.map(str::to_owned),
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

/// A failure of our own, as a halt.
pub(crate) fn halted(error: impl std::fmt::Display) -> Stop {
    Stop::Broken(error.to_string())
}
