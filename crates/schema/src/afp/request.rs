//! What a provider is asked: an artifact, the decisions on its last feedback, and in the
//! extension `review` what a reviewer needs for a verdict.

use std::num::NonZeroU32;

use review_types::criteria::Criterion;
use review_types::{AppliedFeedback, FeedbackItem, PastRound, name_type};
use serde::{Deserialize, Serialize};

use super::{ProtocolVersion, filled};

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
    pub iteration: NonZeroU32,
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
    pub criteria: Vec<Criterion>,
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

name_type!(
    /// The media type of an artifact, such as `text/markdown`.
    #[schemars(extend("pattern" = r"^\s*[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+\s*(;[\s\S]*)?$"))]
    MediaType,
    "a media type",
    "a type and a subtype, such as text/markdown",
    is_media_type
);

impl MediaType {
    /// Returns type and subtype in lower case, without parameters.
    #[must_use]
    pub fn essence(&self) -> String {
        essence(self.as_str()).to_ascii_lowercase()
    }
}

fn essence(text: &str) -> &str {
    text.split(';').next().unwrap_or_default().trim()
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !part.is_empty() && part.chars().all(allowed)
    };
    essence(text)
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_has_two_tokens_and_optional_parameters() {
        for (text, essence) in [
            ("text/markdown", "text/markdown"),
            ("Text/X-Rust; charset=utf-8", "text/x-rust"),
            ("application/vnd.api+json ;v=1", "application/vnd.api+json"),
        ] {
            assert_eq!(MediaType::new(text).unwrap().essence(), essence);
        }
        for text in [
            "", "text", "text/", "/plain", "a b/c", "text/a/b", "text/ä", ";",
        ] {
            assert!(MediaType::new(text).is_err(), "{text}");
        }
    }
}
