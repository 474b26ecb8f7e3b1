//! The operations of the review machine.

use review_types::Hash;
use serde::{Deserialize, Serialize};

use super::{BaseState, Conversation, PastReview, ReadComments, RetryOf, is_zero};
use crate::budget::Allowance;
use crate::feedback::ExtraItems;
use crate::wording::EarlierReview;

/// An operation of the review machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOp {
    /// Call the reviewer once.
    Review(ReviewArgs),
    /// Read the new comments of users.
    Inbox(ReadComments),
    /// Match the items of a round with the earlier findings.
    Ledger(LedgerArgs),
    /// Call the applier for the feedback of a round.
    Apply(ApplyArgs),
    /// Restore the artifact of an earlier round.
    Restore(RestoreArgs),
}

/// The arguments of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewArgs {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The previous answer, if it was malformed.
    pub retry: Option<RetryOf>,
    /// The previous answer, if its items are to be reworded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierReview>,
    /// The artifact to review.
    pub base: Option<BaseState>,
    /// Position in the chain of the reviewer to call, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reviewer: u32,
    /// The previous rounds, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastReview>,
    /// Hash of the ledger of findings, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Hash>,
    /// The allowance of the call.
    #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
    pub allowance: Allowance,
    /// The session to continue; it gave the previous round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
    /// Hash of the comments of users, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Hash>,
    /// Whether a user changed the artifact since the ledger was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// The number of further rounds that may bring only new, unproved findings;
    /// `None` where this round does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved_left: Option<u32>,
}

/// The arguments of matching the items of a round with the earlier findings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerArgs {
    /// The round.
    pub round: PastReview,
    /// Whether its reviewer passed the artifact.
    pub passed: bool,
    /// The previous round, with the decisions on it.
    pub before: Option<PastReview>,
    /// Hash of the previous ledger, if there is one.
    pub ledger: Option<Hash>,
    /// The artifact that was reviewed.
    pub base: BaseState,
    /// Hash of the comments of users, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Hash>,
    /// The number of leading items of the round that are facts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved: u32,
    /// Whether the scores of the round are high enough to pass.
    pub scores_pass: bool,
    /// Whether a user changed the artifact since the ledger was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// The number of comments that the previous ledger includes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub noted: u32,
}

/// The arguments of applying feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplyArgs {
    /// The round of the feedback.
    pub round: PastReview,
    /// What is requested in addition to its items.
    #[serde(default)]
    pub extras: ExtraItems,
    /// The artifact before the apply.
    pub base: Option<BaseState>,
    /// The previous answer, if it was malformed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryOf>,
    /// Whether a report with a decision that cannot be read is malformed; otherwise
    /// that decision is inferred.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insists: bool,
    /// The allowance of the call.
    #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
    pub allowance: Allowance,
}

/// The arguments of restoring an earlier artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoreArgs {
    /// The artifact of that round.
    pub to: BaseState,
    /// The artifact as the machine knows it.
    pub base: BaseState,
    /// Hashes of the manifests of all rounds: files that are in none of them belong
    /// to another process.
    pub rounds: Vec<Hash>,
}
