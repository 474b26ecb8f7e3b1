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
            jobs: config.task_jobs,
            only: None,
            not_selected: BTreeSet::new(),
            apply: true,
            records_pass: true,
            reviewer: config.reviewer.clone(),
            applier: config.applier.clone(),
            http: config.http.clone(),
            prompts: RolePrompts::default(),
            criteria: config.criteria.clone(),
            max_iterations: config.max_iterations.get(),
            retry_on_malformed: config.retry_on_malformed,
            below_minimum: config.below_minimum,
            fail_level: config.review_fail_level,
            convergence: NonZeroU32::new(config.patience).map(|patience| Convergence {
                patience,
                keep: config.keep,
            }),
            memory: FeedbackMemory {
                key: config.memory_key.clone(),
                window: config.window_size,
                threshold: config.alert_threshold,
                alerts: config.alert_on_repeated_issues,
            },
            since: None,
            scope: None,
            tracking: Tracking {
                follow_rate: config.track_follow_rate,
                improvement_rate: config.track_improvement_rate,
            },
            pass_env: config.pass_env.as_slice().to_vec(),
            apply_scope: config.apply_scope,
            call: CallLimits {
                wall: config.call_timeout,
                idle: config.idle_timeout,
            },
            max_time: Some(config.max_time),
            max_calls: config.max_calls.map(NonZeroU32::get),
            budget: Budget {
                max_tokens: config.max_tokens.map(Into::into),
                max_cost: config.max_cost,
            },
            models: config.models.clone(),
            task_timeout: config.task_timeout,
            notify: Notify::of(config),
            history: Vec::new(),
            lint: config.lint(&[]),
            dialect: config.dialect,
            check: config.check.as_ref().map(ToString::to_string),
            implement: None,
        }
    }
}

impl ImplementSettings {
    /// How the configuration has the tasks implemented, if it names who does.
    #[must_use]
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            implementer: config.implementer.clone()?,
            pick: config.task_pick,
            attempts: config.task_attempts,
            dirty: config.lane_dirty,
            land: config.lane_land,
            target: config.lane_target.as_ref().map(ToString::to_string),
            setup: config.lane_setup.as_slice().to_vec(),
            tests: config.lane_tests,
            may_change: config.lane_may_change.as_slice().to_vec(),
            review: config.task_review,
            sandbox: config.lane_sandbox.clone(),
            check: config.lane_check.as_ref().map(ToString::to_string),
            branch: None,
        })
    }
}

impl Notify {
    /// The program that the configuration names for it, if there is one.
    #[must_use]
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            command: config.notify_command.clone()?,
        })
    }
}
