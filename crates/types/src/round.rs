//! Previous rounds, as a reviewer is shown them.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::{FeedbackItem, TakenDecision, Verdict};

/// The result of a previous round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastRound {
    /// Number of the round in its loop, from 1.
    pub iteration: NonZeroU32,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its feedback.
    pub feedback: Vec<PastItem>,
}

/// An item of a previous round, and its decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastItem {
    /// The item.
    #[serde(flatten)]
    pub item: FeedbackItem,
    /// The decision, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<TakenDecision>,
}
