//! The record of one review loop.

use serde::{Deserialize, Serialize};

use crate::{BlockCode, Review, ReviewConfig, Timestamp};

/// How a loop ended; serialized as `""` while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum FinalVerdict {
    /// The loop has not ended.
    #[default]
    #[serde(rename = "")]
    Running,
    /// A review passed.
    #[serde(rename = "pass")]
    Pass,
    /// The loop cannot pass; the session's reason says why.
    #[serde(rename = "blocked")]
    Blocked,
}

/// One round of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IterationHistory {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// What the reviewer said.
    pub result: Option<Review>,
    /// When the answer was read.
    pub timestamp: Timestamp,
}

/// A whole loop: what was reviewed, how, what was said, how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewSession {
    /// What the loop is about, such as a unit id.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs under review.
    pub specs_path: String,
    /// The configuration the loop ran with.
    pub config: ReviewConfig,
    /// The rounds in order. A round whose answer stayed malformed is no round.
    pub iterations: Vec<IterationHistory>,
    /// How the loop ended.
    pub final_verdict: FinalVerdict,
    /// Why it is blocked, in words; empty unless it is.
    pub block_reason: String,
    /// Why it is blocked, as a closed code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_code: Option<BlockCode>,
}

impl ReviewSession {
    /// A session that has not reviewed anything yet.
    #[must_use]
    pub fn new(
        feature: impl Into<String>,
        prd_path: impl Into<String>,
        specs_path: impl Into<String>,
        config: ReviewConfig,
    ) -> Self {
        Self {
            feature: feature.into(),
            prd_path: prd_path.into(),
            specs_path: specs_path.into(),
            config,
            iterations: Vec::new(),
            final_verdict: FinalVerdict::Running,
            block_reason: String::new(),
            block_code: None,
        }
    }
}
