//! One item of feedback.

use review_types::Severity;
use serde::{Deserialize, Serialize};

use super::document::given;
use super::{Action, Aspect, Fraction, Issue, LocationType, Priority, Rationale};

/// One thing to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "FeedbackItem")
)]
pub struct Item {
    /// The aspect of quality that it is about.
    pub aspect: Aspect,
    /// How much it matters.
    pub severity: Severity,
    /// The score of the aspect, from 0 for poor to 1 for excellent.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Fraction", default))]
    pub score: Option<Fraction>,
    /// What exactly is wrong, and what happens as a result.
    pub issue: Issue,
    /// Where.
    pub location: Location,
    /// What to do about it.
    pub suggestion: Suggestion,
    /// What supports it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Evidence", default))]
    pub evidence: Option<Evidence>,
}

/// Where an issue is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Location {
    /// What the reference is.
    #[serde(rename = "type")]
    pub kind: LocationType,
    /// The number, name, heading or path.
    pub reference: String,
    /// What stands right before the issue.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub context_before: Option<String>,
    /// What stands right behind the issue.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub context_after: Option<String>,
}

/// What to do about an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suggestion {
    /// The change itself.
    pub action: Action,
    /// What becomes better by it.
    pub rationale: Rationale,
    /// How it looks afterwards.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub example: Option<String>,
    /// When it comes among the others.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Priority", default))]
    pub priority: Option<Priority>,
}

/// What supports an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The output of a test.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub test_result: Option<String>,
    /// The value of a metric.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub metric: Option<String>,
    /// A standard or a practice.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub reference: Option<String>,
}
