//! What a loop is about, and how it runs.

use std::sync::Arc;
use std::time::Duration;

use review_criteria::Criteria;
use review_flow::Seed;
use review_schema::{Dialect, Options};
use review_types::{Hash, PastRound, ReviewConfig, Severity};
use serde::{Deserialize, Serialize};

use super::op::BaseState;
use crate::budget::Budget;
use crate::memory::FeedbackMemory;
use crate::progress::Convergence;

/// What a loop is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name, such as a unit id.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs under review.
    pub specs_path: String,
    /// What a person can do when it is blocked, in order.
    pub recovery_actions: Vec<String>,
}

/// What a pass with a score below its minimum becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BelowMinimumPolicy {
    /// The missing points become feedback.
    #[default]
    Revise,
    /// The loop is blocked.
    Block,
    /// It passes all the same.
    Accept,
}

/// What becomes of a round whose reviewer asks for a revision and names nothing at
/// or above the fail level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BelowFailLevel {
    /// The reviewer is asked once more, with what does not count; if it says the
    /// same, the loop is blocked.
    #[default]
    Confirm,
    /// It passes.
    Accept,
    /// The loop is blocked.
    Block,
}

/// One of the reviewers that a loop may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Its name, for messages.
    pub name: String,
    /// Whether a pass of it ends the loop. A stand-in that cannot judge what
    /// was asked for can only find fault.
    pub pass_counts: bool,
    /// The form of its answers.
    pub dialect: Dialect,
    /// Whether it keeps its sessions, so that a follow-up goes on in the one in
    /// which it answered last.
    pub keeps_sessions: bool,
    /// Whether all that it finds is proved: it is a set of rules.
    pub proves: bool,
}

/// How far a loop may go; `None` for a limit that stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of review.
    pub max_iterations: Option<u32>,
    /// Calls of reviewer and applier.
    pub max_calls: Option<u32>,
    /// What all calls together may consume.
    pub budget: Budget,
}

/// Which answers must have scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequireScores {
    /// Those of the dialect `verdict`.
    #[default]
    ByDialect,
    /// All.
    Always,
    /// None: a pass without scores stands alone.
    Never,
}

impl From<bool> for RequireScores {
    fn from(always: bool) -> Self {
        if always { Self::Always } else { Self::Never }
    }
}

impl RequireScores {
    /// Whether they are required, unless the dialect decides.
    #[must_use]
    pub fn setting(self) -> Option<bool> {
        match self {
            Self::ByDialect => None,
            Self::Always => Some(true),
            Self::Never => Some(false),
        }
    }
}

/// How one loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopConfig {
    /// What it is about.
    pub subject: Arc<Subject>,
    /// What is scored, and from where on it is good.
    pub criteria: Criteria,
    /// Rounds of review before the loop ends blocked. At least 1.
    pub max_iterations: u32,
    /// How often a malformed answer is asked for again within a round.
    pub retry_on_malformed: u32,
    /// What a pass with a score below its minimum becomes.
    pub below_minimum: BelowMinimumPolicy,
    /// The lowest severity that asks for a revision. A pass that holds an item
    /// which its own reviewer calls as grave is no pass.
    pub fail_level: Severity,
    /// What becomes of a revision that names nothing as grave. Only a loop with
    /// convergence looks.
    pub below_fail_level: BelowFailLevel,
    /// Which answers must have scores.
    pub require_scores: RequireScores,
    /// Calls of reviewer and applier, malformed and failed ones included.
    pub max_calls: Option<u32>,
    /// What all calls together may consume.
    pub budget: Budget,
    /// Who is asked for reviews, in this order: the next one when the one before
    /// gives no answer. At least one.
    pub reviewers: Vec<ChainLink>,
    /// The longest pause before an agent is asked again.
    pub max_wait: Duration,
    /// What the jitter of pauses derives from.
    pub seed: Seed,
    /// Whether feedback is applied. Without it a revision ends the loop.
    pub applies: bool,
    /// Whether an apply that changes nothing ends the loop: true for a
    /// reviewer that would say the same again.
    pub stop_on_no_change: bool,
    /// How the loop notices that it goes nowhere; `None` for a loop that ends
    /// by its limits alone.
    pub convergence: Option<Convergence>,
    /// What it remembers of the feedback of its rounds, and when it alerts.
    pub memory: FeedbackMemory,
    /// Rounds that somebody else had before this loop, in order: reviewers are
    /// told of them.
    pub history: Vec<PastRound>,
    /// Hash of the text of the manifest that findings are held against: where
    /// they are about what did not change since, they do not count. `None` where
    /// all of the artifact counts.
    pub scope: Option<Hash>,
    /// Whether persons may say something to the loop.
    pub inbox: bool,
    /// The artifact at the start; `None` where nobody looks.
    pub base: Option<BaseState>,
}

impl LoopConfig {
    /// The bare loop about `subject`: the four default criteria, three rounds,
    /// one retry.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        let defaults = ReviewConfig::default();
        Self {
            subject: Arc::new(subject),
            criteria: Criteria::default(),
            max_iterations: defaults.max_iterations,
            retry_on_malformed: defaults.retry_on_malformed,
            below_minimum: BelowMinimumPolicy::default(),
            fail_level: Severity::Major,
            below_fail_level: BelowFailLevel::default(),
            require_scores: RequireScores::default(),
            max_calls: None,
            budget: Budget::default(),
            reviewers: vec![ChainLink {
                name: "reviewer".to_owned(),
                pass_counts: true,
                dialect: Dialect::Verdict,
                keeps_sessions: false,
                proves: false,
            }],
            max_wait: Duration::from_secs(600),
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

    /// How the answers of the reviewer at a position of the chain are read.
    #[must_use]
    pub fn reading(&self, reviewer: usize) -> Options {
        let link = self.reviewers.get(reviewer);
        Options {
            criteria: self.criteria.names(),
            dialect: link.map(|link| link.dialect).unwrap_or_default(),
            require_scores: self.require_scores.setting(),
            ..Options::default()
        }
    }

    /// The part of the configuration that a session records.
    #[must_use]
    pub fn review_config(&self) -> ReviewConfig {
        ReviewConfig {
            max_iterations: self.max_iterations,
            criteria: self.criteria.names(),
            retry_on_malformed: self.retry_on_malformed,
        }
    }
}
