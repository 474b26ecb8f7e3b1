//! What a requester asks.

use review_types::{AppliedFeedback, CriterionName, FeedbackItem, Iteration, PastRound, Score};
use serde::{Deserialize, Serialize};

use super::{MediaType, ProtocolVersion, filled};

/// What is to be reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// What kind of text it is.
    pub media_type: MediaType,
    /// The whole text.
    #[serde(deserialize_with = "filled")]
    pub content: String,
    /// A hash or version by which the requester knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_ref: Option<String>,
}

/// A request for feedback on an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackRequest {
    /// The version of the protocol.
    pub protocol_version: ProtocolVersion,
    /// Number of the request within its session, from 1.
    pub iteration: Iteration,
    /// What is to be reviewed.
    pub artifact: Artifact,
    /// What became of the feedback of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_feedback: Option<AppliedFeedback>,
    /// The extension for reviewers that give verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewAsk>,
}

/// The extension of a request: what a reviewer needs to give a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewAsk {
    /// The random id that the answer carries.
    #[serde(deserialize_with = "filled")]
    pub review_id: String,
    /// How to review, if the requester says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What is scored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<AskedCriterion>,
    /// What earlier rounds found and nobody has settled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_findings: Vec<FeedbackItem>,
    /// The rounds before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback_history: Vec<PastRound>,
    /// What the user said on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<String>,
    /// Why the answer before could not be used, if it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<ReviewRetry>,
}

/// A criterion that is to be scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AskedCriterion {
    /// Its name.
    pub name: CriterionName,
    /// What it means.
    pub description: String,
    /// The score from which on it is good enough.
    pub min_score: Score,
}

/// What was wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewRetry {
    /// The field that fails.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// The end of the answer.
    pub tail: String,
}
