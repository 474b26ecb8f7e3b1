//! What the review machine asks for.

use review_criteria::BelowMinimum;
use review_types::Hash;
use serde::{Deserialize, Serialize};

use super::{BaseState, Conversation, PastReview, RetryOf, ScoreDrop, is_zero};
use crate::budget::Allowance;
use crate::feedback::Besides;
use crate::people::Heard;

/// An operation of the review machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewOp {
    /// Ask the reviewer once.
    Review(ToReview),
    /// Look what persons said since.
    Inbox(ToHear),
    /// Join the items of a round with the findings before.
    Join(ToJoin),
    /// Have the applier work in the feedback of a round.
    Apply(ToApply),
    /// Put the artifact of an earlier round back.
    Restore(ToRestore),
}

/// A review that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToReview {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The answer before, if it was malformed.
    pub retry: Option<RetryOf>,
    /// The artifact that is reviewed.
    pub base: Option<BaseState>,
    /// Position in the chain of the reviewer that is asked, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reviewer: u32,
    /// The last rounds before, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastReview>,
    /// Hash of the ledger of findings, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Hash>,
    /// What the call may consume.
    #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
    pub allowance: Allowance,
    /// The session to go on in; the last round before was read in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
    /// Hash of what persons said, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<Hash>,
    /// Whether a user changed the artifact since the ledger was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// How many more rounds may bring only new findings that nothing proves;
    /// `None` where this one does not count or there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved_left: Option<u32>,
}

/// How much of what persons said was heard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToHear {
    /// How far it was heard.
    pub heard: Heard,
    /// Hash of what was heard, if anything was.
    pub people: Option<Hash>,
}

/// A round and what it is joined with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToJoin {
    /// The round.
    pub round: PastReview,
    /// Whether its reviewer passed the artifact.
    pub passed: bool,
    /// The round before, with what was decided on it.
    pub before: Option<PastReview>,
    /// Hash of the ledger before, if there is one.
    pub ledger: Option<Hash>,
    /// The artifact that was reviewed.
    pub base: BaseState,
    /// Hash of what persons said, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<Hash>,
    /// How many of the first items of the round a rule or a check has confirmed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub proved: u32,
    /// Whether the scores of the round are high enough to pass.
    pub scores_pass: bool,
    /// Whether a user changed the artifact since the ledger was made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// How many of the things they said the ledger before knows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub noted: u32,
}

/// Feedback that is to be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToApply {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Hash of the review.
    pub review: Hash,
    /// Criteria whose score is too low, which become feedback too.
    pub below: Vec<BelowMinimum>,
    /// The artifact that it starts from.
    pub base: Option<BaseState>,
    /// Criteria whose score fell, which become feedback too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<ScoreDrop>,
    /// Whether the check of the project fails that passed in the round before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub regressed: bool,
    /// Whether the applier was asked before and changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// Whether items below the fail level are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocking_only: bool,
    /// The answer before, if it was malformed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryOf>,
    /// Hash of the ledger that says which items are not for an applier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Hash>,
    /// What the call may consume.
    #[serde(default, skip_serializing_if = "Allowance::is_unlimited")]
    pub allowance: Allowance,
    /// Hash of what persons said, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<Hash>,
}

/// An earlier artifact that is to be put back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToRestore {
    /// The artifact of that round.
    pub to: BaseState,
    /// The artifact as the machine knows it.
    pub base: BaseState,
    /// Hashes of the manifests of all rounds: files that are in none of
    /// them are somebody else's.
    pub rounds: Vec<Hash>,
}

impl ToApply {
    /// The round that the feedback is of.
    pub(crate) fn past(&self) -> PastReview {
        PastReview {
            iteration: self.iteration,
            review: self.review,
            decisions: None,
            ledger: self.ledger,
        }
    }

    /// What is asked for beside the items of the round.
    pub(crate) fn besides(&self) -> Besides {
        Besides {
            below: self.below.clone(),
            dropped: self.dropped.clone(),
            regressed: self.regressed,
            unchanged: self.unchanged,
            blocking_only: self.blocking_only,
            people: self.people,
        }
    }
}
