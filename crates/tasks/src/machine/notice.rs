//! The notices of the task machine, and their events.

use std::sync::Arc;
use std::time::Duration;

use review::Subject;
use review::events::{
    AgentRole, Approval, AttemptCode, CallEnded, Event, FlaggedChange, LaneLanded, LaneNotLanded,
    LaneOpened, RunEvent, TaskAttempted, TaskFinished, TaskOnLane, TaskReviewed, TaskStarted,
    TaskState, TaskStatusSet,
};
use review::machine::Round;
use review_flow::{ContentStore, MissingContent, Notice};
use review_lane::CommitId;
use review_types::{Hash, LandCode, ModelId, TaskNumber, TaskStatus, Usage};

use super::op::Ran;

/// A notice of the task machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskNotice {
    /// A task started.
    Started {
        /// Number of the task.
        task: TaskNumber,
        /// Its title.
        title: String,
        /// Its commands, one per line.
        command: String,
        /// The number of tasks of its unit.
        tasks: usize,
    },
    /// A task finished.
    Finished {
        /// Number of the task.
        task: TaskNumber,
        /// Its title.
        title: String,
        /// Its state.
        state: TaskState,
        /// The error in words; empty without one.
        reason: String,
        /// The result of its command; the default when it did not complete.
        ran: Ran,
    },
    /// A task is skipped.
    Skipped {
        /// Number of the task.
        task: TaskNumber,
        /// Its title.
        title: String,
        /// The tasks it depends on that did not pass.
        because_of: Vec<TaskNumber>,
    },
    /// The status in a task file was changed, or could not be.
    Status {
        /// Number of the task.
        task: TaskNumber,
        /// Its file.
        path: String,
        /// The status that it has now, or should have.
        status: TaskStatus,
        /// Why it was not written, in words, if it was not.
        kept: Option<String>,
    },
    /// An attempt of an agent was not accepted.
    Attempted(Attempted),
    /// The change of an agent was reviewed.
    Reviewed(Box<Reviewed>),
    /// The change of an agent is on the lane.
    OnLane(OnLane),
    /// The call of an agent ended.
    Called(Called),
    /// Agents can start to work.
    LaneOpened(LaneOpened),
    /// The lane is on the target branch.
    Landed(Landed),
    /// The lane is not on the target branch.
    NotLanded(NotLanded),
}

/// An attempt of an agent that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempted {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Why it was not accepted.
    pub code: AttemptCode,
    /// The reason in words.
    pub reason: String,
    /// The names of the first tests that the reason is about.
    pub tests: Vec<String>,
    /// Hash of the end of the output, if a command ran.
    pub tail: Option<Hash>,
    /// The number of files that the agent changed.
    pub files: u32,
    /// The model that worked, if it is known.
    pub by: Option<ModelId>,
    /// The pause until the same attempt goes on; `None` when it is over.
    pub retry_after: Option<Duration>,
}

/// A review of the change of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The subject of the review.
    pub subject: Arc<Subject>,
    /// The round of its loop.
    pub round: Round,
}

/// A call of an agent that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Number of the task; `None` for a call that picks one.
    pub task: Option<TaskNumber>,
    /// The role of the agent.
    pub role: AgentRole,
    /// Number of the attempt, or of the call that picks a task, from 1.
    pub attempt: u32,
    /// The model that worked, if it is known.
    pub by: Option<ModelId>,
    /// What it consumed, if that is known.
    pub usage: Option<Usage>,
    /// How long its step took, in milliseconds.
    pub took_ms: u64,
}

/// A change of an agent that is on the lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnLane {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The commit on the lane.
    pub commit: CommitId,
    /// What is remarkable about it.
    pub flags: Vec<FlaggedChange>,
    /// The approval of a user, if it needed one.
    pub approval: Option<Approval>,
    /// The files that agents may not change and that were restored.
    pub restored: Vec<String>,
}

/// A lane that is on the target branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The branch.
    pub branch: Option<String>,
    /// Its commit.
    pub commit: CommitId,
    /// The tasks whose work it has.
    pub tasks: Vec<TaskNumber>,
    /// The tasks whose commands failed once and passed on the same tree.
    pub flaky: Vec<TaskNumber>,
    /// Whether the command of `lane.check` did.
    pub flaky_check: bool,
}

/// A lane that is not on the target branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLanded {
    /// Why not.
    pub code: LandCode,
    /// The reason in words.
    pub reason: String,
    /// The tasks whose work is on the lane.
    pub tasks: Vec<TaskNumber>,
}

impl Notice for TaskNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        Ok(RunEvent {
            task: self.task(),
            event: self.into_event(texts)?,
        })
    }
}

impl TaskNotice {
    fn into_event(self, texts: &ContentStore) -> Result<Event, MissingContent> {
        Ok(match self {
            Self::Started {
                task,
                title,
                command,
                tasks,
            } => Event::TaskStarted(TaskStarted {
                task,
                title,
                command,
                tasks,
            }),
            Self::Finished {
                task,
                title,
                state,
                reason,
                ran,
            } => Event::TaskFinished(TaskFinished {
                task,
                title,
                state,
                tests_run: ran.tests_run,
                must_pass: ran.must_pass,
                took_ms: ran.took_ms,
                cached: ran.cached,
                changed_tree: ran.changed_tree,
                reason,
                tail: tail(texts, ran.tail)?,
                log: ran.log,
                because_of: Vec::new(),
            }),
            Self::Skipped {
                task,
                title,
                because_of,
            } => Event::TaskFinished(TaskFinished {
                task,
                title,
                state: TaskState::Skipped,
                tests_run: None,
                must_pass: None,
                took_ms: 0,
                cached: false,
                changed_tree: false,
                reason: String::new(),
                tail: String::new(),
                log: None,
                because_of,
            }),
            Self::Status {
                task,
                path,
                status,
                kept,
            } => Event::TaskStatus(TaskStatusSet {
                task,
                path,
                status,
                kept,
            }),
            Self::Attempted(attempted) => Event::TaskAttempted(attempted.into_payload(texts)?),
            Self::Reviewed(reviewed) => {
                let Reviewed {
                    task,
                    attempt,
                    subject,
                    round,
                } = *reviewed;
                Event::TaskReviewed(TaskReviewed {
                    task,
                    attempt,
                    by: round.by.clone(),
                    review: round.reported(&subject, texts)?,
                })
            }
            Self::OnLane(on_lane) => Event::TaskOnLane(TaskOnLane {
                task: on_lane.task,
                attempt: on_lane.attempt,
                commit: on_lane.commit.into(),
                flags: on_lane.flags,
                approved: on_lane.approval,
                restored: on_lane.restored,
            }),
            Self::Called(call) => Event::CallEnded(CallEnded {
                role: call.role,
                task: call.task,
                iteration: call.attempt,
                by: call.by,
                usage: call.usage,
                took_ms: call.took_ms,
            }),
            Self::LaneOpened(opened) => Event::LaneOpened(opened),
            Self::Landed(landed) => Event::LaneLanded(LaneLanded {
                branch: landed.branch,
                commit: landed.commit.into(),
                tasks: landed.tasks,
                flaky: landed.flaky,
                flaky_check: landed.flaky_check,
            }),
            Self::NotLanded(lane) => Event::LaneNotLanded(LaneNotLanded {
                code: lane.code,
                reason: lane.reason,
                tasks: lane.tasks,
            }),
        })
    }

    /// Returns the task that it is about; `None` for the lane.
    const fn task(&self) -> Option<TaskNumber> {
        match self {
            Self::Started { task, .. }
            | Self::Finished { task, .. }
            | Self::Skipped { task, .. }
            | Self::Status { task, .. }
            | Self::Attempted(Attempted { task, .. })
            | Self::OnLane(OnLane { task, .. }) => Some(*task),
            Self::Called(call) => call.task,
            Self::Reviewed(reviewed) => Some(reviewed.task),
            Self::LaneOpened(_) | Self::Landed(_) | Self::NotLanded(_) => None,
        }
    }
}

impl Attempted {
    fn into_payload(self, texts: &ContentStore) -> Result<TaskAttempted, MissingContent> {
        let ms = |pause: Duration| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        Ok(TaskAttempted {
            task: self.task,
            attempt: self.attempt,
            code: self.code,
            reason: self.reason,
            tests: self.tests,
            tail: tail(texts, self.tail)?,
            files: self.files,
            by: self.by,
            retry_in_ms: self.retry_after.map(ms),
        })
    }
}

/// Returns the end of an output; empty without one.
fn tail(texts: &ContentStore, hash: Option<Hash>) -> Result<String, MissingContent> {
    Ok(match hash {
        Some(hash) => String::from_utf8_lossy(&texts.get(&hash)?).into_owned(),
        None => String::new(),
    })
}
