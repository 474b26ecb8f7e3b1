//! The document.

use review_types::{Severity, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};

use super::{AssessmentVerdict, Count, DocumentId, Fraction, Item, Phase, Summary, TargetType};

/// The feedback of one iteration on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionableFeedback {
    /// Its id.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "uuid")))]
    pub id: DocumentId,
    /// When the feedback was given.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub timestamp: Timestamp,
    /// Which iteration it belongs to.
    pub iteration: Iteration,
    /// What was reviewed.
    pub target: Target,
    /// The items, at least one.
    pub feedback_items: Items,
    /// What all of it comes to.
    pub overall_assessment: OverallAssessment,
    /// What became of the feedback afterwards.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "QualityTracking", default))]
    pub quality_tracking: Option<QualityTracking>,
    /// JSON pointers to the values that the reviewer did not give: they follow
    /// from others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<String>,
}

impl ActionableFeedback {
    /// Whether a person must decide: the verdict says so, or accepts and is not
    /// sure.
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

/// Which iteration of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Iteration {
    /// Its number.
    pub number: Count,
    /// How many are allowed.
    pub max: Count,
    /// Where it stands among them.
    pub phase: Phase,
}

impl Iteration {
    /// Iteration `number` of `max`, in the phase that follows from them: final
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

/// What was reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// What it is.
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
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub version: Option<String>,
    /// What else is known of it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub context: Option<String>,
}

/// A list of no items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one item is required")]
pub struct NoItems;

/// The items of a document, at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Item>")]
#[cfg_attr(feature = "schema", schemars(rename = "FeedbackItems", extend("minItems" = 1)))]
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

    /// The items in the order of the document.
    #[must_use]
    pub fn as_slice(&self) -> &[Item] {
        &self.0
    }

    /// The items in the order in which they are addressed: by severity, by
    /// priority, those without one last, then as the document has them.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Item> {
        let mut items: Vec<_> = self.0.iter().collect();
        items.sort_by_key(|item| {
            let priority = item.suggestion.priority;
            (item.severity, priority.is_none(), priority)
        });
        items
    }

    /// Whether any item has a severity.
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

/// What all items come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverallAssessment {
    /// The quality as a whole, from 0 to 1.
    pub score: Fraction,
    /// What the reviewer recommends.
    pub verdict: AssessmentVerdict,
    /// All of it in a few sentences.
    pub summary: Summary,
    /// How sure the reviewer is, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Fraction", default))]
    pub confidence: Option<Fraction>,
}

/// What became of the feedback, told in retrospect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QualityTracking {
    /// Whether the next iteration followed it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "bool", default))]
    pub feedback_followed: Option<bool>,
    /// Whether following it made the target better.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "bool", default))]
    pub improvement_observed: Option<bool>,
    /// By how much the score changed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "super::number::AnyNumber", default)
    )]
    pub improvement_delta: Option<f64>,
    /// How clear the feedback was, from 0 to 1.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Fraction", default))]
    pub feedback_clarity_score: Option<Fraction>,
}

/// A member that may be absent and is never null.
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
    fn a_document_that_was_read_is_written_as_it_was() {
        let json = document(vec![item("major", Some(2))]);
        let feedback = read(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&feedback).unwrap(), json);
    }

    #[test]
    fn no_item_no_document() {
        let error = read(document(vec![])).unwrap_err().to_string();
        assert_eq!(error, "at least one item is required");
    }

    #[test]
    fn a_member_that_is_null_is_refused() {
        let mut json = document(vec![item("major", None)]);
        json["overall_assessment"]["confidence"] = Json::Null;
        assert!(read(json).is_err());
    }

    #[test]
    fn items_are_addressed_by_severity_priority_and_place() {
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
    fn the_phase_follows_from_the_numbers() {
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
