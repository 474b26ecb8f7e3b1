//! The subject and the settings of a loop.

use review_flow::Seed;
use review_schema::Dialect;
use review_types::criteria::Criteria;
use review_types::{Hash, PastRound, ReviewConfig, Severity};
use serde::{Deserialize, Serialize};

use super::op::BaseState;
use crate::budget::Budget;
use crate::memory::FeedbackMemory;
use crate::progress::Convergence;

/// The subject of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name, such as a unit id.
    pub feature: String,
    /// Path of the spec.
    pub spec: String,
    /// Path of the file or folder under review.
    pub path: String,
    /// The actions that a user can take when the loop is blocked, in order.
    pub recovery_actions: Vec<String>,
}

/// The effect of a pass with a score below its minimum.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BelowMinimumPolicy {
    /// The missing points become feedback.
    #[default]
    Revise,
    /// The loop is blocked.
    Block,
    /// It passes anyway.
    Accept,
}

/// A reviewer of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Its name, for messages.
    pub name: String,
    /// Whether its pass ends the loop. A fallback that cannot judge what was asked
    /// for can only find faults.
    pub pass_counts: bool,
    /// The format of its answers.
    pub dialect: Dialect,
    /// Whether it keeps its sessions, so that a follow-up continues the one in
    /// which it last answered.
    pub keeps_sessions: bool,
    /// Whether everything that it finds is proved, as for a set of rules.
    pub proves: bool,
}

/// The limits of a loop; a limit that is `None` is unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of review.
    pub max_iterations: Option<u32>,
    /// Calls of reviewer and applier, and what they may consume.
    pub budget: Budget,
}

/// The configuration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopConfig {
    /// The subject.
    pub subject: Subject,
    /// The criteria with their minimum scores.
    pub criteria: Criteria,
    /// Maximum number of rounds before the loop ends blocked. At least 1.
    pub max_iterations: u32,
    /// The number of retries after a malformed answer within a round.
    pub retry_on_malformed: u32,
    /// Whether an answer with vague items is sent back once, within the retries after
    /// a malformed one, and what stays vague is reported.
    pub wording_rules: bool,
    /// The effect of a pass with a score below its minimum.
    pub below_minimum: BelowMinimumPolicy,
    /// The lowest severity that asks for a revision. A pass with an item at or above
    /// this level does not count.
    pub fail_level: Severity,
    /// The most calls of reviewer and applier, and what they may consume.
    pub budget: Budget,
    /// The reviewers, in order: each is a fallback for the previous one. At least
    /// one.
    pub reviewers: Vec<ChainLink>,
    /// The name of the applier, for messages.
    pub applier: Option<String>,
    /// The seed for the jitter of pauses.
    pub seed: Seed,
    /// Whether feedback is applied. Otherwise a revision ends the loop.
    pub applies: bool,
    /// Whether an apply that changes nothing ends the loop: true for a deterministic
    /// reviewer.
    pub stop_on_no_change: bool,
    /// When the loop counts as stalled; `None` for a loop that ends by its limits
    /// alone.
    pub convergence: Option<Convergence>,
    /// How much feedback is remembered, and when an issue counts as repeated.
    pub memory: FeedbackMemory,
    /// Rounds from before this loop, in order, for the history that reviewers are
    /// shown.
    pub history: Vec<PastRound>,
    /// Hash of the base manifest: findings about text that did not change since do
    /// not count. `None` where all of the artifact counts.
    pub scope: Option<Hash>,
    /// Whether users may comment on the loop.
    pub inbox: bool,
    /// The artifact at the start; `None` if it is not tracked.
    pub base: Option<BaseState>,
}

impl LoopConfig {
    /// Returns the default configuration for `subject`: the four default criteria,
    /// three rounds, one retry.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        let defaults = ReviewConfig::default();
        Self {
            subject,
            criteria: Criteria::default(),
            max_iterations: defaults.max_iterations,
            retry_on_malformed: defaults.retry_on_malformed,
            wording_rules: false,
            below_minimum: BelowMinimumPolicy::default(),
            fail_level: Severity::Major,
            budget: Budget::default(),
            reviewers: vec![ChainLink {
                name: "reviewer".to_owned(),
                pass_counts: true,
                dialect: Dialect::Verdict,
                keeps_sessions: false,
                proves: false,
            }],
            applier: None,
            seed: Seed::from_bytes([0; 32]),
            applies: true,
            stop_on_no_change: false,
            convergence: None,
            memory: FeedbackMemory::default(),
            history: Vec::new(),
            scope: None,
            inbox: false,
            base: None,
        }
    }

    /// Returns the format of the answers of the reviewer at a position of the chain.
    pub(crate) fn dialect(&self, reviewer: usize) -> Dialect {
        let link = self.reviewers.get(reviewer);
        link.map(|link| link.dialect).unwrap_or_default()
    }

    /// Returns the part of the configuration that a session records.
    pub fn review_config(&self) -> ReviewConfig {
        ReviewConfig {
            max_iterations: self.max_iterations,
            criteria: self.criteria.names(),
            retry_on_malformed: self.retry_on_malformed,
        }
    }
}
