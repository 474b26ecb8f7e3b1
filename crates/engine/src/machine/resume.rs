//! What a resume brings, and what it means.

use std::num::NonZeroU32;
use std::time::Duration;

use review::machine::CallBudget;
use review::machine::{BaseState, ReviewChanges, ReviewDone};
use review::people::Cursor;
use review_config::Config;
use review_tasks::{ApprovedTask, TaskChanges, TaskMachine, TaskPlan};
use review_types::BlockCode;

use super::RunMachine;
use super::done::has_passed;
use super::op::{RunChanges, StageChanges};
use crate::settings::Stages;

/// What a resume may set again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaisedLimits {
    /// Rounds of review.
    pub max_iterations: Option<u32>,
    /// Rounds that may close nothing.
    pub patience: Option<u32>,
    /// Calls of reviewer and applier, and what they may consume.
    pub limits: CallBudget,
    /// Time of the run.
    pub max_time: Option<Duration>,
    /// Tasks at a time.
    pub jobs: Option<NonZeroU32>,
    /// Time of one call.
    pub call_timeout: Option<Duration>,
    /// Time of one call without a byte of output.
    pub idle_timeout: Option<Duration>,
    /// Where finished work lands; no task gets a new attempt then.
    pub land: Option<Destination>,
    /// The held task whose change a user approved.
    pub approved: Option<ApprovedTask>,
}

/// Where a user wants finished work to land.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// On the branch that the run is for.
    Target,
    /// On a branch that is checked out nowhere, or does not exist.
    Branch(String),
}

impl RaisedLimits {
    /// What is set here, and what `other` sets besides.
    pub fn or(self, other: Self) -> Self {
        Self {
            max_iterations: self.max_iterations.or(other.max_iterations),
            patience: self.patience.or(other.patience),
            limits: self.limits.or(other.limits),
            max_time: self.max_time.or(other.max_time),
            jobs: self.jobs.or(other.jobs),
            call_timeout: self.call_timeout.or(other.call_timeout),
            idle_timeout: self.idle_timeout.or(other.idle_timeout),
            land: self.land.or(other.land),
            approved: self.approved.or(other.approved),
        }
    }

    /// Puts the limits that are raised in place, but those that the journal holds.
    pub(crate) fn apply(&self, config: &mut Config) {
        config.run.max_time = self.max_time.unwrap_or(config.run.max_time);
        config.task.jobs = self.jobs.unwrap_or(config.task.jobs);
        let agent = &mut config.agent;
        agent.call_timeout = self.call_timeout.unwrap_or(agent.call_timeout);
        agent.idle_timeout = self.idle_timeout.unwrap_or(agent.idle_timeout);
    }
}

/// What is found when an ended run is resumed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The artifact as it is now.
    pub(crate) artifact: Option<BaseState>,
    /// The tasks as they are now.
    pub(crate) plan: Option<TaskPlan>,
    /// How far the comments reach, if there are new ones.
    pub(crate) heard: Option<Cursor>,
    /// New limits.
    pub(crate) raised: RaisedLimits,
}

impl RunMachine {
    /// Whether the run ended with nothing left to do.
    pub(crate) fn has_passed(&self) -> bool {
        self.finished.as_ref().is_some_and(has_passed)
    }

    /// How far it received the comments of people.
    pub(crate) fn heard(&self) -> Cursor {
        self.review.heard()
    }

    /// What an ended run goes on with; `None` when there is nothing to go on with.
    pub(crate) fn goes_on_with(&self, found: Found) -> Option<RunChanges> {
        let finished = self.finished.as_ref()?;
        let has_unlanded = self.tasks.as_ref().is_some_and(TaskMachine::has_unlanded);
        let is_to_land = found.raised.land.is_some() && has_unlanded;
        if has_passed(finished) && !is_to_land {
            return None;
        }
        let known = self.review.base();
        let changed = match (known, found.artifact) {
            (Some(known), Some(now)) if known.artifact != now.artifact => Some(now),
            _ => None,
        };
        let is_blocked = matches!(self.reviewed, Some(ReviewDone::Blocked { .. }));
        let raised = found.raised;
        let changes = |stage| RunChanges {
            max_time: raised.max_time,
            jobs: raised.jobs,
            stage,
        };
        let tasks = if raised.land.is_some() {
            TaskChanges {
                lands_only: true,
                ..TaskChanges::default()
            }
        } else if let Some(approved) = raised.approved {
            TaskChanges {
                approved: vec![approved],
                ..TaskChanges::default()
            }
        } else if changed.is_none() && !is_blocked || self.stages == Stages::Tasks {
            // Without a higher limit the same limit would end it again.
            if finished.block_code == Some(BlockCode::Budget) && !raised.limits.is_any() {
                return None;
            }
            TaskChanges {
                plan: found.plan,
                limits: raised.limits,
                ..TaskChanges::default()
            }
        } else {
            let review = ReviewChanges {
                base: changed,
                heard: found.heard,
                max_iterations: raised.max_iterations,
                patience: raised.patience,
                max_calls: raised.limits.max_calls,
                budget: raised.limits.budget,
            };
            let has_time =
                finished.block_code == Some(BlockCode::RunTime) && raised.max_time.is_some();
            let goes_on = has_time || self.review.goes_on_with(&review);
            return goes_on.then(|| changes(StageChanges::Review(review)));
        };
        Some(changes(StageChanges::Tasks(tasks)))
    }
}
