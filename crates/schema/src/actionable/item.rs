//! An item of feedback.

use review_types::{Evidence, Severity};
use serde::{Deserialize, Serialize};

use super::{Action, Aspect, Fraction, Issue, LocationType, Priority, Rationale};

/// An item of feedback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "FeedbackItem")]
pub struct Item {
    /// The aspect of quality.
    pub aspect: Aspect,
    /// The severity.
    pub severity: Severity,
    /// The score of the aspect, from 0 for poor to 1 for excellent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Fraction", default)]
    pub score: Option<Fraction>,
    /// The specific problem and its effect.
    pub issue: Issue,
    /// The location.
    pub location: Location,
    /// The suggested change.
    pub suggestion: Suggestion,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Evidence", default)]
    pub evidence: Option<Evidence>,
}

/// The location of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Location {
    /// The type of the reference.
    #[serde(rename = "type")]
    pub kind: LocationType,
    /// The number, name, heading or path.
    pub reference: String,
    /// What is directly before the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub context_before: Option<String>,
    /// What is directly after the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub context_after: Option<String>,
}

/// The suggested change for an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Suggestion {
    /// The change itself.
    pub action: Action,
    /// The expected improvement.
    pub rationale: Rationale,
    /// An example of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub example: Option<String>,
    /// Its priority among the items.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Priority", default)]
    pub priority: Option<Priority>,
}
