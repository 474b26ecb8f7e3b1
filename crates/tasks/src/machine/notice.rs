//! The notices of the task machine: events, with a hash where the end of an output goes.

use review::events::{
    CallEnded, Event, LaneLanded, LaneNotLanded, LaneOpened, RunEvent, TaskAttempted, TaskFinished,
    TaskOnLane, TaskReviewed, TaskStarted, TaskState, TaskStatusSet,
};
use review::machine::Round;
use review_flow::{ContentStore, MissingContent, Notice};
use review_types::{Hash, TaskNumber};

use super::op::Ran;
use super::plan::PlannedTask;

/// A notice of the task machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskNotice {
    /// A task started.
    Started(TaskStarted),
    /// A task finished, or is skipped; with the hash of the end of its output.
    Finished(Box<TaskFinished>, Option<Hash>),
    /// The status in a task file was changed, or could not be.
    Status(TaskStatusSet),
    /// An attempt of an agent was not accepted; with the hash of the end of an output.
    Attempted(Box<TaskAttempted>, Option<Hash>),
    /// The change of an agent was reviewed.
    Reviewed(Box<Reviewed>),
    /// The change of an agent is on the lane.
    OnLane(TaskOnLane),
    /// The call of an agent ended.
    Called(CallEnded),
    /// Agents can start to work.
    LaneOpened(LaneOpened),
    /// The lane is on the target branch.
    Landed(LaneLanded),
    /// The lane is not on the target branch.
    NotLanded(LaneNotLanded),
}

/// A review of the change of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The round of its loop.
    pub round: Round,
}

impl Reviewed {
    fn into_payload(self, texts: &ContentStore) -> Result<TaskReviewed, MissingContent> {
        Ok(TaskReviewed {
            task: self.task,
            attempt: self.attempt,
            by: self.round.by.clone(),
            review: self.round.reported(texts)?,
        })
    }
}

impl TaskNotice {
    /// Returns the notice that a task finished, or is skipped because of others.
    pub(super) fn finished(
        task: &PlannedTask,
        state: TaskState,
        (reason, because_of): (String, Vec<TaskNumber>),
        ran: Ran,
    ) -> Self {
        let finished = TaskFinished {
            task: task.number,
            title: task.title.clone(),
            state,
            tests_run: ran.tests_run,
            must_pass: ran.must_pass,
            took_ms: ran.took_ms,
            cached: ran.cached,
            changed_tree: ran.changed_tree,
            reason,
            tail: String::new(),
            log: ran.log,
            because_of,
        };
        Self::Finished(Box::new(finished), ran.tail)
    }
}

impl Notice for TaskNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        let end = |hash: Option<Hash>| match hash {
            Some(hash) => Ok(String::from_utf8_lossy(&texts.get(&hash)?).into_owned()),
            None => Ok(String::new()),
        };
        let (task, event) = match self {
            Self::Started(started) => (Some(started.task), Event::TaskStarted(started)),
            Self::Finished(mut finished, tail) => {
                finished.tail = end(tail)?;
                (Some(finished.task), Event::TaskFinished(*finished))
            }
            Self::Status(status) => (Some(status.task), Event::TaskStatus(status)),
            Self::Attempted(mut attempted, tail) => {
                attempted.tail = end(tail)?;
                (Some(attempted.task), Event::TaskAttempted(*attempted))
            }
            Self::Reviewed(reviewed) => (
                Some(reviewed.task),
                Event::TaskReviewed(reviewed.into_payload(texts)?),
            ),
            Self::OnLane(on_lane) => (Some(on_lane.task), Event::TaskOnLane(on_lane)),
            Self::Called(call) => (call.task, Event::CallEnded(call)),
            Self::LaneOpened(opened) => (None, Event::LaneOpened(opened)),
            Self::Landed(landed) => (None, Event::LaneLanded(landed)),
            Self::NotLanded(lane) => (None, Event::LaneNotLanded(lane)),
        };
        Ok(RunEvent { task, event })
    }
}
