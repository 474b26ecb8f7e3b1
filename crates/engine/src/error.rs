//! Why a run could not be started or not be brought to its end.

use std::error::Error;
use std::num::NonZeroU32;
use std::path::PathBuf;

use review_agents::{ArtifactTooLarge, Backend};
use review_flow::{DriveError, LogError, Stop};
use review_store::{ConfineError, FileError, Held, LockError, RootPath, RunError, StateError};
use review_tasks::SelectionError;
use review_types::{ConfigError, IdError, RunId, SessionId, StartCode, TaskNumber, plural};

use crate::target::TargetError;

/// Why a run could not be started or not be brought to its end.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Another run works on the same unit.
    #[error("{held}{}", if *is_parent { ", whose task started this process" } else { "" })]
    Held {
        /// Who holds it.
        held: Held,
        /// Whether that run started this process.
        is_parent: bool,
    },
    /// What a run is about is not there.
    #[error("{} no longer exists, and the run is about it", .0.display())]
    Gone(PathBuf),
    /// Another process answers a request of the session.
    #[error("another request of session {0} is being answered")]
    Answering(SessionId),
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
    /// The system, or the environment, has not what a run needs.
    #[error("{message}")]
    Unable {
        /// What is missing.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// What is on record cannot be compared with what is there.
    #[error("the records cannot be compared with the project: {0}")]
    Inspection(DriveError),
    /// The state folder cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A path leads out of the root.
    #[error(transparent)]
    Confine(#[from] ConfineError),
    /// The artifact cannot be read.
    #[error("the artifact cannot be read: {0}")]
    Artifact(#[source] std::io::Error),
    /// No run is meant.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The journal of a run cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
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
    /// No loop can run with this configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A limit cannot be kept: what a call consumes is unknown.
    #[error("a limit of {limit} cannot be kept: what a call of {backend} consumes is unknown")]
    Unmeasured {
        /// The backend.
        backend: Backend,
        /// What is limited.
        limit: &'static str,
    },
    /// The artifact is larger than a prompt.
    #[error(transparent)]
    TooLarge(#[from] ArtifactTooLarge),
    /// The artifact is larger than a model can read.
    #[error("the {what} has about {tokens} tokens (bytes / 3), and {model} reads {window}")]
    Window {
        /// What is too large: the artifact, or the prompt that holds it.
        what: &'static str,
        /// The model.
        model: String,
        /// The tokens that it reads.
        window: u32,
        /// The tokens of what is too large.
        tokens: u64,
    },
    /// There is no commit to compare findings with.
    #[error("base {base}: {reason}")]
    Base {
        /// Its name.
        base: String,
        /// Why not.
        reason: review_process::git::NoBase,
    },
    /// A backend names a profile that there is not.
    #[error("profile [http.{0}] not found")]
    Profile(String),
    /// The selected tasks cannot run.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Tasks are selected, and what the run is about has none.
    #[error("no unit belongs to {0}, so it has no tasks to select")]
    NoTasks(String),
    /// No lane can be made of the project.
    #[error("{}", coded(.0))]
    Lane(#[from] review_lane::Refusal),
    /// It is not known where the checkouts of a run are.
    #[error("the checkouts of the run are not known: {0}")]
    Checkouts(#[from] review_lane::LaneError),
    /// The folder with the checkouts and the commits of a run was removed.
    #[error(
        "{}: the run cannot go on: its folder {} was removed{}",
        StartCode::LaneGone, lane.display(), lost(tasks)
    )]
    LaneGone {
        /// The folder.
        lane: PathBuf,
        /// The tasks whose work was only there.
        tasks: Vec<TaskNumber>,
        /// The spec of the run.
        spec: String,
    },
    /// Finished work is to be landed, and no agent implements the tasks of the run.
    #[error("no agent implements the tasks of run {short}, so it has nothing to land", short = .0.short())]
    NotImplemented(RunId),
    /// A run that ended has no work on its lane.
    #[error("run {short} has nothing to land: no task of it is on its lane", short = .0.short())]
    NothingToLand(RunId),
    /// No variable names a folder for checkouts.
    #[error("no folder for the checkouts of agents: set HOME or XDG_STATE_HOME")]
    NoLaneFolder,
    /// The folder for checkouts is in the project.
    #[error(
        "the folder for checkouts is {}, in the project; set XDG_STATE_HOME to a folder outside \
         of it",
        .0.display()
    )]
    LaneInRoot(PathBuf),
    /// Tasks are to be implemented, and what the run is about has none.
    #[error("no unit belongs to {0}, so it has no tasks to implement")]
    NothingToImplement(String),
    /// A backend cannot implement tasks.
    #[error("{0} has no tools that edit files and run commands, so it cannot implement tasks")]
    NoTools(Backend),
    /// The agent is to pick the next task while others are worked at.
    #[error("an agent picks the next task only where one is implemented at a time, not {0}")]
    PickOfSeveral(NonZeroU32),
    /// Changes are to be reviewed, and no reviewer is named that can judge them.
    #[error("the embedded reviewer judges specs, and no other reviewer is named for `task.review`")]
    NoChangeReviewer,
    /// A spec is to be planned, or its tasks implemented, and no agent is named.
    #[error("no agent is named that plans and implements tasks")]
    NoImplementer,
    /// A spec is to be planned that has tasks.
    #[error("{spec} has {} already, in {dir}", plural(*tasks, "task", "tasks"))]
    HasTasks {
        /// The spec.
        spec: String,
        /// The folder of its unit.
        dir: String,
        /// The number of its tasks.
        tasks: usize,
    },
    /// A file of a plan is there now, and was not when it was checked.
    #[error("{0} exists by now and is not overwritten; nothing was written")]
    Appeared(RootPath),
    /// A signal ended the planning of a spec.
    #[error("the planning was interrupted; nothing was written")]
    PlanInterrupted,
    /// What a spec belongs to is not clear.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A name is not valid.
    #[error(transparent)]
    Id(#[from] IdError),
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

/// A refusal with its code, if it has one.
fn coded(refusal: &review_lane::Refusal) -> String {
    match refusal.code() {
        Some(code) => format!("{code}: {refusal}"),
        None => refusal.to_string(),
    }
}

/// What was lost with the lane of a run.
fn lost(tasks: &[TaskNumber]) -> String {
    match tasks {
        [] => ", with the attempts at its tasks".to_owned(),
        [task] => format!(", with the work of task {task}, which had not landed"),
        tasks => {
            let tasks: Vec<_> = tasks.iter().map(ToString::to_string).collect();
            let tasks = tasks.join(", ");
            format!(", with the work of tasks {tasks}, which had not landed")
        }
    }
}

impl EngineError {
    pub(crate) fn of_lock(error: LockError, parent: Option<&str>) -> Self {
        match error {
            LockError::Held(held) => Self::Held {
                is_parent: held
                    .holder
                    .as_ref()
                    .is_some_and(|holder| Some(holder.run.as_str()) == parent),
                held,
            },
            LockError::Missing(path) => Self::Gone(path),
            LockError::File(error) => Self::File(error),
        }
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

/// A failure of our own, as a halt.
pub(crate) fn halted(error: impl std::fmt::Display) -> Stop {
    Stop::Broken(error.to_string())
}

/// Returns an error with its causes in one line.
#[must_use]
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    causes(error).join(": ")
}

/// Returns the messages of an error and of its causes, without those that end the
/// message before them.
#[must_use]
pub fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut messages: Vec<String> = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !messages.last().is_some_and(|last| last.ends_with(&message)) {
            messages.push(message);
        }
        next = cause.source();
    }
    messages
}
