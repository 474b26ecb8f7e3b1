//! The actionable-feedback document.

use review_types::{Severity, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};

use super::{AssessmentVerdict, Count, DocumentId, Fraction, Item, Phase, Summary, TargetType};

/// The feedback of one iteration on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ActionableFeedback {
    /// Its id.
    #[schemars(extend("format" = "uuid"))]
    pub id: DocumentId,
    /// When the feedback was written.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: Timestamp,
    /// Its iteration.
    pub iteration: Iteration,
    /// The reviewed target.
    pub target: Target,
    /// The items, at least one.
    pub feedback_items: Items,
    /// The overall assessment.
    pub overall_assessment: OverallAssessment,
    /// Data on the feedback that was added later.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "QualityTracking", default)]
    pub quality_tracking: Option<QualityTracking>,
    /// JSON pointers to the values that the reviewer did not give and that were
    /// derived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<String>,
}

impl ActionableFeedback {
    /// Returns whether a human must decide: the verdict is escalate, or accept with
    /// low confidence.
    #[must_use]
    pub fn is_escalated(&self) -> bool {
        let assessment = &self.overall_assessment;
        let is_sure = assessment.confidence.is_none_or(|sure| sure.get() >= 0.5);
        match assessment.verdict {
            AssessmentVerdict::Escalate => true,
            AssessmentVerdict::Accept => !is_sure,
            AssessmentVerdict::Refine | AssessmentVerdict::Reject => false,
        }
    }
}

/// The number of an iteration and the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Iteration {
    /// Its number.
    pub number: Count,
    /// The maximum number of iterations.
    pub max: Count,
    /// Its phase.
    pub phase: Phase,
}

impl Iteration {
    /// Returns iteration `number` of `max` with its phase: final
    /// if it is the last one, else initial if it is the first.
    #[must_use]
    pub fn new(number: Count, max: Count) -> Self {
        let phase = if number == max {
            Phase::Final
        } else if number == Count::ONE {
            Phase::Initial
        } else {
            Phase::Refinement
        };
        Self { number, max, phase }
    }
}

/// The reviewed target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Target {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// Its path or name.
    pub path: String,
    /// Its version or hash.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "String", default)]
    pub version: Option<String>,
    /// Further data on it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "String", default)]
    pub context: Option<String>,
}

/// An empty list of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one item is required")]
pub struct NoItems;

/// The items of a document, at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Vec<Item>")]
#[schemars(rename = "FeedbackItems", extend("minItems" = 1))]
pub struct Items(Vec<Item>);

impl Items {
    /// Checks that there is an item.
    ///
    /// # Errors
    /// [`NoItems`] when there is none.
    pub fn new(items: Vec<Item>) -> Result<Self, NoItems> {
        if items.is_empty() {
            return Err(NoItems);
        }
        Ok(Self(items))
    }

    /// Returns the items in the order of the document.
    #[must_use]
    pub fn as_slice(&self) -> &[Item] {
        &self.0
    }

    /// Returns the items in the order in which they should be addressed: by severity, then
    /// by priority with missing ones last, then as in the document.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Item> {
        let mut items: Vec<_> = self.0.iter().collect();
        items.sort_by_key(|item| {
            let priority = item.suggestion.priority;
            (item.severity, priority.is_none(), priority)
        });
        items
    }

    /// Returns whether any item has this severity.
    #[must_use]
    pub fn has(&self, severity: Severity) -> bool {
        self.0.iter().any(|item| item.severity == severity)
    }
}

impl TryFrom<Vec<Item>> for Items {
    type Error = NoItems;

    fn try_from(items: Vec<Item>) -> Result<Self, Self::Error> {
        Self::new(items)
    }
}

/// The assessment over all items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OverallAssessment {
    /// The overall quality, from 0 to 1.
    pub score: Fraction,
    /// The reviewer's recommendation.
    pub verdict: AssessmentVerdict,
    /// A summary in a few sentences.
    pub summary: Summary,
    /// The reviewer's confidence, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Fraction", default)]
    pub confidence: Option<Fraction>,
}

/// Data on the effect of the feedback, in retrospect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QualityTracking {
    /// Whether the next iteration applied it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "bool", default)]
    pub feedback_followed: Option<bool>,
    /// Whether applying it improved the target.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "bool", default)]
    pub improvement_observed: Option<bool>,
    /// The change of the score.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "super::number::AnyNumber", default)]
    pub improvement_delta: Option<f64>,
    /// The clarity of the feedback, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[schemars(with = "Fraction", default)]
    pub feedback_clarity_score: Option<Fraction>,
}

/// A field that may be absent but is never null.
pub(super) fn given<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::actionable::Priority;

    fn item(severity: &str, priority: Option<u8>) -> Json {
        let mut item = json!({
            "aspect": "security",
            "severity": severity,
            "issue": "The token is compared byte by byte",
            "location": { "type": "line", "reference": "42" },
            "suggestion": {
                "action": "Compare the tokens in constant time",
                "rationale": "The time no longer tells how much of it fits",
            },
        });
        if let Some(priority) = priority {
            item["suggestion"]["priority"] = json!(priority);
        }
        item
    }

    fn document(items: Vec<Json>) -> Json {
        json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "timestamp": "2026-03-01T12:30:05Z",
            "iteration": { "number": 1, "max": 3, "phase": "initial" },
            "target": { "type": "code", "path": "src/auth.rs" },
            "feedback_items": items,
            "overall_assessment": {
                "score": 0.5,
                "verdict": "refine",
                "summary": "The comparison of tokens tells an attacker how much of it fits.",
            },
        })
    }

    fn read(json: Json) -> Result<ActionableFeedback, serde_json::Error> {
        serde_json::from_value(json)
    }

    #[test]
    fn a_parsed_document_is_serialized_unchanged() {
        let json = document(vec![item("major", Some(2))]);
        let feedback = read(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&feedback).unwrap(), json);
    }

    #[test]
    fn a_document_without_items_is_refused() {
        let error = read(document(vec![])).unwrap_err().to_string();
        assert_eq!(error, "at least one item is required");
    }

    #[test]
    fn a_field_that_is_null_is_refused() {
        let mut json = document(vec![item("major", None)]);
        json["overall_assessment"]["confidence"] = Json::Null;
        assert!(read(json).is_err());
    }

    #[test]
    fn items_are_addressed_by_severity_priority_and_position() {
        let items = [
            item("minor", Some(1)),
            item("critical", None),
            item("major", Some(2)),
            item("critical", Some(3)),
            item("major", Some(2)),
        ];
        let feedback = read(document(items.to_vec())).unwrap();
        let order: Vec<_> = feedback
            .feedback_items
            .in_order()
            .into_iter()
            .map(|item| (item.severity, item.suggestion.priority.map(Priority::get)))
            .collect();
        let expected = [
            (Severity::Critical, Some(3)),
            (Severity::Critical, None),
            (Severity::Major, Some(2)),
            (Severity::Major, Some(2)),
            (Severity::Minor, Some(1)),
        ];
        assert_eq!(order, expected);
        assert!(feedback.feedback_items.has(Severity::Minor));
        assert!(!feedback.feedback_items.has(Severity::Suggestion));
    }

    #[test]
    fn the_phase_is_derived_from_the_numbers() {
        let phase = |number, max| {
            let count = |number| Count::new(number).unwrap();
            Iteration::new(count(number), count(max)).phase
        };
        assert_eq!(phase(1, 1), Phase::Final);
        assert_eq!(phase(1, 2), Phase::Initial);
        assert_eq!(phase(2, 3), Phase::Refinement);
        assert_eq!(phase(3, 3), Phase::Final);
    }
}
