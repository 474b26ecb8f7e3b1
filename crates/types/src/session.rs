//! The record of one review loop.

use serde::{Deserialize, Serialize};

use crate::{BlockCode, Review, ReviewConfig, Timestamp, closed_list};

closed_list!(
    /// The end of a loop; serialized as `""` while it runs.
    #[derive(Default)]
    FinalVerdict {
        /// The loop has not ended.
        #[default]
        Running => "",
        /// A review passed.
        Pass => "pass",
        /// The loop ended without a pass; the session has the reason.
        Blocked => "blocked",
    }
);

/// One round of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IterationHistory {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The review.
    pub result: Option<Review>,
    /// When the answer was parsed.
    pub timestamp: Timestamp,
}

/// A whole loop: its subject, configuration, rounds and end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewSession {
    /// The subject of the loop, such as a unit id.
    pub feature: String,
    /// Path of the spec.
    pub spec: String,
    /// Path of the file or folder under review.
    pub path: String,
    /// The configuration of the loop.
    pub config: ReviewConfig,
    /// The rounds in order, without those whose answer stayed malformed.
    pub iterations: Vec<IterationHistory>,
    /// The end of the loop.
    pub final_verdict: FinalVerdict,
    /// The reason in words if it is blocked; otherwise empty.
    pub block_reason: String,
    /// The reason as a stable code if it is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_code: Option<BlockCode>,
}
