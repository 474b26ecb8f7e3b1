//! What a resume brings, and what a run that ended goes on with. One that was cut off goes on
//! with its open steps (`run/mod.rs`), as it began.

use std::time::Duration;

use review::Budget;
use review::machine::{BaseState, ReviewChanges, ReviewDone};
use review::people::Cursor;
use review_agents::BaseUrl;
use review_config::{Config, HostName, RaisedKeys};
use review_tasks::{ApprovedTask, TaskChanges, TaskMachine, TaskPlan};
use review_types::BlockCode;

use super::RunMachine;
use super::op::has_passed;
use super::op::{RunChanges, StageChanges};
use crate::settings::{Stages, call_budget};

/// What a user asks of a run that goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResumeRequest {
    /// The keys that are set again.
    pub raised: RaisedKeys,
    /// Where finished work lands; no task gets a new attempt then.
    pub land: Option<Destination>,
    /// The held task whose change a user approved.
    pub approved: Option<ApprovedTask>,
    /// The hosts that carry out steps from now on, if they are others.
    pub hosts: Option<Vec<HostName>>,
    /// The engine whose workers carry out steps from now on, if they are others.
    pub engine: Option<BaseUrl>,
}

/// Where a user wants finished work to land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// On the branch that the run is for.
    Target,
    /// On a branch that is checked out nowhere, or does not exist.
    Branch(String),
}

/// What is found when an ended run is resumed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The artifact as it is now.
    pub(crate) artifact: Option<BaseState>,
    /// The tasks as they are now.
    pub(crate) plan: Option<TaskPlan>,
    /// How far the comments reach, if there are new ones.
    pub(crate) comments_until: Option<Cursor>,
    /// How long it ran.
    pub(crate) spent: Duration,
}

impl RunChanges {
    fn of(config: Config, raised: &RaisedKeys, stage: StageChanges) -> Self {
        Self {
            raised: raised.0.keys().map(ToString::to_string).collect(),
            config: Box::new(config),
            stage,
        }
    }

    /// The value of a key, if it is set again.
    fn raised<T>(&self, key: &str, value: T) -> Option<T> {
        self.raised.contains(key).then_some(value)
    }

    pub(super) fn max_time(&self) -> Option<Duration> {
        self.raised("run.max_time", self.config.run.max_time)
    }

    /// The limits of calls, if one of them is set again.
    pub(super) fn calls(&self) -> Option<Budget> {
        let limits = ["run.max_calls", "run.max_tokens", "run.max_cost"];
        let is_raised = limits.iter().any(|key| self.raised.contains(*key));
        is_raised.then(|| call_budget(&self.config))
    }

    /// What they are for the review.
    pub(super) fn of_review(&self) -> ReviewChanges {
        let review = &self.config.review;
        let (base, comments_until) = match &self.stage {
            StageChanges::Review {
                base,
                comments_until,
            } => (*base, *comments_until),
            StageChanges::Tasks(_) => (None, None),
        };
        ReviewChanges {
            base,
            comments_until,
            max_iterations: self.raised("review.max_iterations", review.max_iterations.get()),
            patience: self.raised("review.patience", review.patience),
            budget: self.calls(),
        }
    }
}

impl RunMachine {
    /// Whether the run ended with nothing left to do.
    pub(crate) fn has_passed(&self) -> bool {
        self.finished.as_ref().is_some_and(has_passed)
    }

    /// How far it received the comments of people.
    pub(crate) fn comments_until(&self) -> Cursor {
        self.review.comments_until()
    }

    /// What an ended run goes on with by `config`, in which what `request` raises is
    /// raised; `None` when there is nothing to go on with.
    pub(crate) fn goes_on_with(
        &self,
        found: Found,
        request: &ResumeRequest,
        config: Config,
    ) -> Option<RunChanges> {
        let finished = self.finished.as_ref()?;
        let has_unlanded = self.tasks.as_ref().is_some_and(TaskMachine::has_unlanded);
        let is_to_land = request.land.is_some() && has_unlanded;
        if has_passed(finished) && !is_to_land {
            return None;
        }
        let known = self.review.base();
        let changed = match (known, found.artifact) {
            (Some(known), Some(now)) if known.artifact != now.artifact => Some(now),
            _ => None,
        };
        let is_blocked = matches!(self.reviewed, Some(ReviewDone::Blocked { .. }));
        let stage = if request.land.is_some() {
            StageChanges::Tasks(TaskChanges {
                lands_only: true,
                ..TaskChanges::default()
            })
        } else if let Some(approved) = &request.approved {
            StageChanges::Tasks(TaskChanges {
                approved: vec![approved.clone()],
                ..TaskChanges::default()
            })
        } else if changed.is_none() && !is_blocked || self.stages == Stages::Tasks {
            StageChanges::Tasks(TaskChanges {
                plan: found.plan,
                ..TaskChanges::default()
            })
        } else {
            StageChanges::Review {
                base: changed,
                comments_until: found.comments_until,
            }
        };
        let changes = RunChanges::of(config, &request.raised, stage);
        let ended_by = |code| finished.block_code == Some(code);
        let has_time = changes.max_time().is_some_and(|max| max > found.spent);
        let goes_on = match &changes.stage {
            StageChanges::Review { .. } => {
                ended_by(BlockCode::RunTime) && has_time
                    || self.review.goes_on_with(&changes.of_review())
            }
            // Without a higher limit the same limit would end it again.
            StageChanges::Tasks(tasks) if !tasks.lands_only && tasks.approved.is_empty() => {
                !ended_by(BlockCode::Budget) || changes.calls().is_some()
            }
            StageChanges::Tasks(_) => true,
        };
        goes_on.then_some(changes)
    }
}
