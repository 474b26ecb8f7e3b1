//! The operations of the review machine and their results. Hashes and counts only.

mod args;
mod out;

use review_types::{BlockCode, CriterionName, DecisionCounts, Hash, Score, Usage};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::people::Cursor;

pub use args::{ApplyArgs, LedgerArgs, RestoreArgs, ReviewArgs, ReviewOp};
pub use out::{LedgerUpdate, LimitReached, NewComments, ReadReview, ReviewOut};

/// The artifact as the machine knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseState {
    /// Its hash, with statuses masked.
    pub artifact: Hash,
    /// Hash of its manifest.
    pub manifest: Hash,
}

/// The malformed answer that a retry is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryOf {
    /// The field that violated the schema.
    pub field: String,
    /// The error message.
    pub message: String,
    /// Hash of the answer.
    pub answer: Hash,
}

/// The comments of users that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadComments {
    /// The position up to which they were read.
    pub until: Cursor,
    /// Hash of all of them, if there are any.
    pub all: Option<Hash>,
    /// Their number.
    pub count: u32,
}

/// A criterion whose score is lower than in the previous round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreDrop {
    /// The criterion.
    pub criterion: CriterionName,
    /// Its score in the previous round.
    pub before: Score,
    /// Its score now.
    pub now: Score,
}

/// A previous round in the history of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastReview {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Hash of its review.
    pub review: Hash,
    /// Hash of the decisions on its feedback, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Hash>,
    /// Hash of the ledger that says which of its items are not for an applier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Hash>,
}

/// The result of the check of the project for a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Whether it passed.
    pub passed: bool,
    /// Hash of its report.
    pub report: Hash,
}

/// A session in which a reviewer answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The agent's own session.
    pub session: String,
    /// Number of the last request in it that was answered, from 1.
    pub iteration: u32,
    /// The usage of its calls, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<Usage>,
}

/// The applier's decisions on the feedback of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Hash of the decisions.
    pub decisions: Hash,
    /// The number of decisions of each kind.
    pub counts: DecisionCounts,
}

/// The end of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDone {
    /// A review passed.
    Passed,
    /// Users approved the artifact.
    Approved {
        /// The users.
        by: String,
    },
    /// The loop cannot pass.
    Blocked {
        /// The reason as a stable code.
        code: BlockCode,
        /// The reason in words.
        reason: String,
    },
}

/// The changes with which an ended loop continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewChanges {
    /// The artifact, if it is different from the one that the loop left.
    pub base: Option<BaseState>,
    /// The position of the comments, if there are new ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments_until: Option<Cursor>,
    /// A new limit of rounds.
    pub max_iterations: Option<u32>,
    /// A new number of rounds that may close nothing; 0 for a loop that ends by its
    /// limits alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<u32>,
    /// The limits of calls and of what they may consume, in place of the earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
