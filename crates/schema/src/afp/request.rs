//! Requests.

use review_types::{AppliedFeedback, CriterionName, FeedbackItem, Iteration, PastRound, Score};
use serde::{Deserialize, Serialize};

use super::{MediaType, ProtocolVersion, filled};

/// The artifact to review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Artifact {
    /// The media type.
    pub media_type: MediaType,
    /// The content.
    #[serde(deserialize_with = "filled")]
    #[schemars(extend("pattern" = r"\S"))]
    pub content: String,
    /// The requester's hash or version of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_ref: Option<String>,
}

/// A request for feedback on an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeedbackRequest {
    /// The version of the protocol.
    pub protocol_version: ProtocolVersion,
    /// Number of the request within its session, from 1.
    pub iteration: Iteration,
    /// The artifact to review.
    pub artifact: Artifact,
    /// The decisions on the feedback of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_feedback: Option<AppliedFeedback>,
    /// The extension for reviewers that give verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewAsk>,
}

/// The extension of a request: the data that a reviewer needs for a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewAsk {
    /// The random id that the answer must contain.
    #[serde(deserialize_with = "filled")]
    #[schemars(extend("pattern" = r"\S"))]
    pub review_id: String,
    /// The instructions, if the requester has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The criteria to score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<AskedCriterion>,
    /// The open findings of earlier rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_findings: Vec<FeedbackItem>,
    /// The previous rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback_history: Vec<PastRound>,
    /// The user's guidance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<String>,
    /// Why the previous answer was malformed, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<ReviewRetry>,
    /// The mark at the end of the request, which the answer repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_id: Option<String>,
}

/// A criterion to score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AskedCriterion {
    /// Its name.
    #[schemars(extend("pattern" = r"\S"))]
    pub name: CriterionName,
    /// Its meaning.
    pub description: String,
    /// Its minimum score.
    pub min_score: Score,
}

/// Why an answer was malformed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewRetry {
    /// The invalid field.
    pub field: String,
    /// The error message.
    pub message: String,
    /// The end of the answer.
    pub tail: String,
}
