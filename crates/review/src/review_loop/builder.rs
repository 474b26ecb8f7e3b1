//! Puts a loop together.

use std::sync::Arc;

use async_trait::async_trait;
use review_criteria::Criteria;
use review_flow::{Blobs, Journal};
use review_types::{AgentError, ConfigError, Failure, RunId};

use super::config::{Limits, LoopConfig, Subject};
use super::run::{Parts, ReviewLoop};
use crate::agent::{Applier, ApplyReport, ApplyRequest, Reviewer};
use crate::artifact::Artifact;
use crate::check::Check;
use crate::facts::FactFinder;
use crate::people::Inbox;
use crate::sink::EventSink;

/// A [`ReviewLoop`] that is put together; made by [`ReviewLoop::builder`].
#[must_use]
pub struct ReviewLoopBuilder<'a, R, A>(ReviewLoop<'a, R, A>);

impl<'a, R: Reviewer, A: Applier> ReviewLoopBuilder<'a, R, A> {
    pub(super) fn new(reviewer: R, applier: A) -> Self {
        let subject = Subject {
            feature: "artifact".to_owned(),
            prd_path: "the requirements".to_owned(),
            specs_path: "the artifact".to_owned(),
            recovery_actions: Vec::new(),
        };
        Self(ReviewLoop {
            config: LoopConfig::new(subject),
            reviewer,
            applier,
            parts: Parts::default(),
            journal: None,
        })
    }

    /// Replaces all settings, those made before included.
    pub fn config(mut self, config: LoopConfig) -> Self {
        self.0.config = config;
        self
    }

    /// What the loop is about.
    pub fn subject(mut self, subject: Subject) -> Self {
        self.0.config.subject = Arc::new(subject);
        self
    }

    /// What is scored, and from which score on it is good.
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.0.config.criteria = criteria;
        self
    }

    /// How far the loop may go; a limit that is `None` stays as it is.
    pub fn limits(mut self, limits: Limits) -> Self {
        let config = &mut self.0.config;
        config.max_iterations = limits.max_iterations.unwrap_or(config.max_iterations);
        config.max_calls = limits.max_calls.or(config.max_calls);
        config.budget = limits.budget.or(config.budget);
        self
    }

    /// The artifact under review: an applier that changes nothing is noticed, an
    /// apply that was cut off is undone, and changes by others end the run.
    pub fn artifact(mut self, artifact: &'a dyn Artifact) -> Self {
        self.0.parts.artifact = Some(artifact);
        self
    }

    /// Gives the reviewer the facts of `facts`, and counts no pass while one of
    /// them blocks.
    pub fn facts(mut self, facts: &'a dyn FactFinder) -> Self {
        self.0.parts.facts = Some(facts);
        self
    }

    /// Runs `check` before the review of each round, and counts no pass while it
    /// fails.
    pub fn check(mut self, check: &'a dyn Check) -> Self {
        self.0.parts.check = Some(check);
        self
    }

    /// Takes comments of users from `inbox` while the loop runs.
    pub fn inbox(mut self, inbox: &'a dyn Inbox) -> Self {
        self.0.parts.inbox = Some(inbox);
        self.0.config.inbox = true;
        self
    }

    /// Emits the events of the run to `events`.
    pub fn events(mut self, events: &'a dyn EventSink) -> Self {
        self.0.parts.events = events;
        self
    }

    /// Records every step in `journal`, and texts too long for it in `blobs`, so
    /// that a run that was cut off goes on where it was.
    pub fn journal(mut self, journal: &'a mut dyn Journal, blobs: Arc<dyn Blobs>) -> Self {
        self.0.journal = Some((journal, blobs));
        self
    }

    /// The id that the events of a new run carry.
    pub fn run_id(mut self, run: RunId) -> Self {
        self.0.parts.run = Some(run);
        self
    }

    /// The loop.
    ///
    /// # Errors
    /// [`ConfigError`] when no loop can run with these settings.
    pub fn build(self) -> Result<ReviewLoop<'a, R, A>, ConfigError> {
        self.0.config.review_config().validate()?;
        Ok(self.0)
    }
}

impl<'a, R: Reviewer> ReviewLoop<'a, R, ()> {
    /// A loop without an applier: a revision ends it.
    pub fn review_only(reviewer: R) -> ReviewLoopBuilder<'a, R, ()> {
        let mut builder = ReviewLoopBuilder::new(reviewer, ());
        builder.0.config.applies = false;
        builder
    }
}

/// No applier, for a loop that only reviews.
#[async_trait]
impl Applier for () {
    async fn apply(&self, _: ApplyRequest) -> Result<ApplyReport, AgentError> {
        Err(AgentError::new(
            Failure::PermissionDenied,
            "the loop has no applier",
        ))
    }
}
