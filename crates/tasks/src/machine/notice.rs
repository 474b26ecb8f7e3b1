//! The notices of the task machine, and their events.

use review::events::{
    Event, RunEvent, TaskFinished, TaskSkipped, TaskStarted, TaskState, TaskStatusKept,
    TaskStatusWritten,
};
use review_flow::{ContentStore, MissingContent, Notice};
use review_types::{TaskNumber, TaskStatus};

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
    },
    /// A task finished.
    Finished {
        /// Number of the task.
        task: TaskNumber,
        /// Its title.
        title: String,
        /// Its state.
        state: TaskState,
        /// The error in words; empty if there is none.
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
    /// The status in a task file was changed.
    StatusWritten {
        /// Number of the task.
        task: TaskNumber,
        /// Its file.
        path: String,
        /// The status.
        status: TaskStatus,
    },
    /// The status in a task file could not be changed.
    StatusKept {
        /// Number of the task.
        task: TaskNumber,
        /// Its file.
        path: String,
        /// The status that it should have.
        status: TaskStatus,
        /// Why it was not written, in words.
        reason: String,
    },
}

impl Notice for TaskNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        Ok(RunEvent {
            task: Some(self.task()),
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
            } => Event::TaskStarted(TaskStarted {
                task,
                title,
                command,
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
                tail: match ran.tail {
                    Some(hash) => String::from_utf8_lossy(&texts.get(&hash)?).into_owned(),
                    None => String::new(),
                },
                log: ran.log,
            }),
            Self::Skipped {
                task,
                title,
                because_of,
            } => Event::TaskSkipped(TaskSkipped {
                task,
                title,
                because_of,
            }),
            Self::StatusWritten { task, path, status } => {
                Event::TaskStatusWritten(TaskStatusWritten { task, path, status })
            }
            Self::StatusKept {
                task,
                path,
                status,
                reason,
            } => Event::TaskStatusKept(TaskStatusKept {
                task,
                path,
                status,
                reason,
            }),
        })
    }

    const fn task(&self) -> TaskNumber {
        match self {
            Self::Started { task, .. }
            | Self::Finished { task, .. }
            | Self::Skipped { task, .. }
            | Self::StatusWritten { task, .. }
            | Self::StatusKept { task, .. } => *task,
        }
    }
}
