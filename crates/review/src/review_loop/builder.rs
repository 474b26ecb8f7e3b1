//! The builder of a loop.

use std::sync::Arc;

use async_trait::async_trait;
use review_flow::{Blobs, Journal};
use review_types::criteria::Criteria;
use review_types::{AgentError, ConfigError, Failure};

use super::config::{Limits, LoopConfig, Subject};
use super::executor::LoopParts;
use super::run::ReviewLoop;
use crate::agent::{Applier, ApplyReport, ApplyRequest, Reviewer};
use crate::artifact::Artifact;
use crate::check::Check;
use crate::facts::FactFinder;
use crate::people::Inbox;
use crate::sink::{EventSink, NoSink};

/// Builds a [`ReviewLoop`]; see [`ReviewLoop::builder`].
#[must_use]
pub struct ReviewLoopBuilder<'a, R, A>(ReviewLoop<'a, R, A>);

impl<'a, R: Reviewer, A: Applier> ReviewLoopBuilder<'a, R, A> {
    pub(super) fn new(reviewer: R, applier: A) -> Self {
        let subject = Subject {
            feature: "artifact".to_owned(),
            spec: "the spec".to_owned(),
            path: "the artifact".to_owned(),
            recovery_actions: Vec::new(),
        };
        Self(ReviewLoop {
            config: LoopConfig::new(subject),
            reviewer,
            applier,
            parts: LoopParts::default(),
            events: &NoSink,
            journal: None,
        })
    }

    /// Replaces all settings, including those made before.
    pub fn config(mut self, config: LoopConfig) -> Self {
        self.0.config = config;
        self
    }

    /// Sets the subject of the loop.
    pub fn subject(mut self, subject: Subject) -> Self {
        self.0.config.subject = subject;
        self
    }

    /// Sets the criteria with their minimum scores.
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.0.config.criteria = criteria;
        self
    }

    /// Sets the limits of the loop; a limit that is `None` is unchanged. A loop on the
    /// journal of an earlier run needs the limits of its start: only
    /// [`ReviewLoop::resume`] raises them.
    pub fn limits(mut self, limits: Limits) -> Self {
        let config = &mut self.0.config;
        config.max_iterations = limits.max_iterations.unwrap_or(config.max_iterations);
        config.budget = limits.budget.or(config.budget);
        self
    }

    /// Sets the artifact under review: unchanged artifacts are noticed, an interrupted
    /// apply is undone, and changes by others end the run.
    pub fn artifact(mut self, artifact: &'a dyn Artifact) -> Self {
        self.0.parts.artifact = Some(artifact);
        self
    }

    /// Passes the facts of `facts` to the reviewer, and rejects a pass while one of
    /// them blocks.
    pub fn facts(mut self, facts: &'a dyn FactFinder) -> Self {
        self.0.parts.facts = Some(facts);
        self
    }

    /// Runs `check` before the review of each round, and rejects a pass while it
    /// fails.
    pub fn check(mut self, check: &'a dyn Check) -> Self {
        self.0.parts.check = Some(check);
        self
    }

    /// Reads comments of users from `inbox` while the loop runs.
    pub fn inbox(mut self, inbox: &'a dyn Inbox) -> Self {
        self.0.parts.inbox = Some(inbox);
        self.0.config.inbox = true;
        self
    }

    /// Emits the events of the run to `events`.
    pub fn events(mut self, events: &'a dyn EventSink) -> Self {
        self.0.events = events;
        self
    }

    /// Records every step in `journal`, and content too long for it in `blobs`, so
    /// that an interrupted run can be resumed.
    pub fn journal(mut self, journal: &'a mut dyn Journal, blobs: Arc<dyn Blobs>) -> Self {
        self.0.journal = Some((journal, blobs));
        self
    }

    /// Builds the loop.
    ///
    /// # Errors
    /// [`ConfigError`] when the settings are invalid.
    pub fn build(self) -> Result<ReviewLoop<'a, R, A>, ConfigError> {
        self.0.config.review_config().validate()?;
        Ok(self.0)
    }
}

impl<'a, R: Reviewer> ReviewLoop<'a, R, ()> {
    /// Returns a builder of a loop without an applier: a revision ends it.
    pub fn review_only(reviewer: R) -> ReviewLoopBuilder<'a, R, ()> {
        let mut builder = ReviewLoopBuilder::new(reviewer, ());
        builder.0.config.applies = false;
        builder
    }
}

/// The missing applier of a loop that only reviews.
#[async_trait]
impl Applier for () {
    async fn apply(&self, _: ApplyRequest) -> Result<ApplyReport, AgentError> {
        Err(AgentError::new(
            Failure::PermissionDenied,
            "the loop has no applier",
        ))
    }
}
