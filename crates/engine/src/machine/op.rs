//! What the machine of a run asks for, gets back and reports.

use std::collections::BTreeSet;

use review::events::{Event, RunEvent, RunFinished, RunResumed, RunStarted};
use review::machine::{BaseState, ReviewDone, ReviewMachine, ReviewNotice, ReviewOp, ReviewOut};
use review::people::Cursor;
use review_config::Config;
use review_flow::{ContentStore, Machine, MissingContent, Notice};
use review_tasks::{TaskChanges, TaskDone, TaskMachine, TaskNotice, TaskOp, TaskOut, TaskPlan};
use review_types::{Hash, ModelId, Outcome};
use serde::{Deserialize, Serialize};

/// An operation of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunOp {
    /// A step of the review.
    Review(Box<ReviewOp>),
    /// Read the tasks of the unit.
    Plan {
        /// The artifact that the review left, if there was a review.
        base: Option<BaseState>,
    },
    /// A step of a task.
    Task {
        /// The operation.
        op: TaskOp,
        /// Hash of the artifact that was reviewed, if there was a review.
        reviewed: Option<Hash>,
    },
}

impl RunOp {
    pub(super) fn is_local(&self) -> bool {
        match self {
            Self::Review(op) => ReviewMachine::is_local(op),
            Self::Plan { .. } => true,
            Self::Task { op, .. } => TaskMachine::is_local(op),
        }
    }

    pub(super) fn base(&self) -> Option<Hash> {
        match self {
            Self::Review(op) => <ReviewMachine as Machine>::base(op),
            Self::Plan { .. } => None,
            Self::Task { op, .. } => <TaskMachine as Machine>::base(op),
        }
    }
}

/// The outcome of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunOut {
    /// Of a step of the review.
    Review(ReviewOut),
    /// The tasks of the unit; `None` when the run is about no unit.
    Plan(Option<TaskPlan>),
    /// Of a step of a task.
    Task(TaskOut),
}

/// What may differ when an ended run goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunChanges {
    /// The configuration that holds from now on.
    pub(crate) config: Box<Config>,
    /// Its keys that a user set again.
    pub(crate) raised: BTreeSet<String>,
    /// What goes on.
    pub(crate) stage: StageChanges,
}

/// The stage that goes on, and what may differ in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StageChanges {
    /// The review goes on.
    Review {
        /// The artifact, if it is different from the one that the review left.
        base: Option<BaseState>,
        /// The position of the comments, if there are new ones.
        #[serde(skip_serializing_if = "Option::is_none")]
        comments_until: Option<Cursor>,
    },
    /// The tasks run again.
    Tasks(TaskChanges),
}

/// What the machine of a run reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunNotice {
    /// The run started.
    Started(RunStarted),
    /// The run had ended and goes on.
    Resumed(RunResumed),
    /// The review reports.
    Review(Box<ReviewNotice>),
    /// A task reports.
    Task(TaskNotice),
    /// The run ended.
    Finished(RunFinished),
}

impl Notice for RunNotice {
    type Event = RunEvent;

    fn event(self, texts: &ContentStore) -> Result<RunEvent, MissingContent> {
        Ok(match self {
            Self::Started(started) => Event::RunStarted(started).into(),
            Self::Resumed(resumed) => Event::RunResumed(resumed).into(),
            Self::Review(notice) => return notice.event(texts),
            Self::Task(notice) => return notice.event(texts),
            Self::Finished(finished) => Event::RunFinished(finished).into(),
        })
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunDone {
    /// How the review ended, if there was one.
    pub(crate) review: Option<ReviewDone>,
    /// How the tasks ended, if they had their turn.
    pub(crate) tasks: Option<TaskDone>,
    /// The outcome of the run.
    pub(crate) finished: RunFinished,
    /// The artifact that the last review is about.
    pub(crate) artifact: Option<Hash>,
    /// Who gave the last review.
    pub(crate) reviewed_by: Option<ModelId>,
}

/// The outcome of a run whose stages ended so.
pub(super) fn outcome(review: Option<&ReviewDone>, tasks: Option<&TaskDone>) -> RunFinished {
    let blocked = match (review, tasks) {
        (Some(ReviewDone::Blocked { code, reason }), Some(tasks)) => {
            let besides = tasks.blocked.as_ref().map(|blocked| &blocked.reason);
            let besides = besides.map_or_else(String::new, |besides| format!("; {besides}"));
            Some((*code, format!("{reason}{besides}")))
        }
        (Some(ReviewDone::Blocked { code, reason }), None) => Some((*code, reason.clone())),
        (_, Some(tasks)) => tasks
            .blocked
            .as_ref()
            .map(|blocked| (blocked.code, blocked.reason.clone())),
        _ => None,
    };
    let outcome = match (&blocked, review, tasks) {
        (Some((code, _)), _, _) => code.outcome(),
        (None, None, tasks) if tasks.is_none_or(|done| done.tasks.is_empty()) => Outcome::Nothing,
        (None, Some(ReviewDone::Approved { .. }), _) => Outcome::Approved,
        (None, _, _) => Outcome::Passed,
    };
    let (block_code, block_reason) = blocked.unzip();
    RunFinished {
        outcome,
        block_code,
        block_reason: block_reason.unwrap_or_default(),
    }
}

/// Whether a run that ended so did all that it was asked for.
pub(super) fn has_passed(finished: &RunFinished) -> bool {
    matches!(finished.outcome, Outcome::Passed | Outcome::Approved)
}
