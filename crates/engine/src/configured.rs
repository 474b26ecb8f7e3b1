//! What the configuration asks of a run.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use review::Budget;
use review::config::{Convergence, FeedbackMemory};
use review_agents::RolePrompts;
use review_config::Config;

use crate::settings::{
    CallLimits, ImplementSettings, Notify, Purpose, RunSettings, Stages, Target, Tracking,
};

impl RunSettings {
    /// A run over `target` by the configuration: a review whose feedback is
    /// applied, and then the commands of the tasks, which no agent implements.
    #[must_use]
    pub fn of(config: &Config, target: Target) -> Self {
        Self {
            purpose: Purpose::Work,
            target,
            stages: Stages::default(),
            jobs: config.task.jobs,
            only: None,
            not_selected: BTreeSet::new(),
            apply: true,
            records_pass: true,
            reviewer: config.reviewer.clone(),
            applier: config.applier.clone(),
            http: config.http.clone(),
            prompts: RolePrompts::default(),
            criteria: config.review.criteria.clone(),
            max_iterations: config.review.max_iterations.get(),
            retry_on_malformed: config.review.retry_on_malformed,
            below_minimum: config.review.below_minimum,
            fail_level: config.review.fail_level,
            convergence: NonZeroU32::new(config.review.patience).map(|patience| Convergence {
                patience,
                keep: config.review.keep,
            }),
            memory: FeedbackMemory {
                key: config.feedback.memory_key.clone(),
                window: config.feedback.window_size,
                threshold: config.feedback.alert_threshold,
                alerts: config.feedback.alert_on_repeated_issues,
            },
            since: None,
            scope: None,
            tracking: Tracking {
                follow_rate: config.feedback.track_follow_rate,
                improvement_rate: config.feedback.track_improvement_rate,
            },
            pass_env: config
                .agent
                .pass_env
                .iter()
                .map(ToString::to_string)
                .collect(),
            apply_scope: config.agent.apply_scope,
            call: CallLimits {
                wall: config.agent.call_timeout,
                idle: config.agent.idle_timeout,
            },
            max_time: Some(config.run.max_time),
            max_calls: config.run.max_calls.map(NonZeroU32::get),
            budget: Budget {
                max_tokens: config.run.max_tokens.map(Into::into),
                max_cost: config.run.max_cost,
            },
            models: config.models.clone(),
            task_timeout: config.task.timeout,
            require_names: config.task.require_names,
            notify: Notify::of(config),
            history: Vec::new(),
            lint: config.lint(&[]),
            dialect: config.review.dialect,
            check: config.review.check.as_ref().map(ToString::to_string),
            implement: None,
        }
    }
}

impl ImplementSettings {
    /// How the configuration has the tasks implemented, if it names who does.
    #[must_use]
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            implementer: config.task.implementer.clone()?,
            pick: config.task.pick,
            attempts: config.task.attempts,
            dirty: config.lane.dirty,
            land: config.lane.land,
            target: config.lane.target.as_ref().map(ToString::to_string),
            setup: config.lane.setup.iter().map(ToString::to_string).collect(),
            tests: config.lane.tests,
            may_change: config.lane.may_change.clone(),
            review: config.task.review,
            sandbox: config.lane.sandbox.clone(),
            check: config.lane.check.as_ref().map(ToString::to_string),
            branch: None,
        })
    }
}

impl Notify {
    /// The program that the configuration names for it, if there is one.
    #[must_use]
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            command: config.notify.command.clone()?,
        })
    }
}
