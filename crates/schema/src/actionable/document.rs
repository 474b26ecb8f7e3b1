//! The actionable-feedback document.

pub use review_types::Aspect;
use review_types::{Timestamp, closed_list, is_uuid, name_type};
use serde::{Deserialize, Serialize};

use super::number::without_format;
use super::{Count, Fraction, Item, Summary};

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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub version: Option<String>,
    /// Further data on it.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// [`NoItems`] without an item.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Fraction", default)]
    pub confidence: Option<Fraction>,
}

/// Data on the effect of the feedback, in retrospect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QualityTracking {
    /// Whether the next iteration applied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    pub feedback_followed: Option<bool>,
    /// Whether applying it improved the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    pub improvement_observed: Option<bool>,
    /// The change of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", transform = without_format, default)]
    pub improvement_delta: Option<f64>,
    /// The clarity of the feedback, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Fraction", default)]
    pub feedback_clarity_score: Option<Fraction>,
}

/// Maximum number of characters of an id.
const MAX_ID_LENGTH: usize = 128;

name_type!(
    /// The id of an actionable-feedback document. Documents of ralph have UUIDs; those of
    /// other programs may have any file name of plain
    /// characters.
    DocumentId,
    "a document id",
    "1 to 128 of A-Z, a-z, 0-9, '.', '_' and '-'",
    is_plain
);

impl DocumentId {
    /// Returns whether it is a UUID with its four hyphens.
    #[must_use]
    pub fn is_uuid(&self) -> bool {
        is_uuid(&self.0)
    }
}

fn is_plain(text: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(legal)
}

closed_list!(
    /// The phase of an iteration.
    Phase {
        /// The first one.
        Initial => "initial",
        /// One between the first and the last.
        Refinement => "refinement",
        /// The last one of the maximum.
        Final => "final",
    }
);

closed_list!(
    /// The type of the reviewed target.
    TargetType {
        /// Source code.
        Code => "code",
        /// Prose.
        Document => "document",
        /// Any other artifact.
        Artifact => "artifact",
        /// Configuration.
        Configuration => "configuration",
        /// A test.
        Test => "test",
        /// A schema.
        Schema => "schema",
    }
);

closed_list!(
    /// The type of the reference of a location.
    LocationType {
        /// A line by its number.
        Line => "line",
        /// Lines from one number to another.
        Range => "range",
        /// A function by its name.
        Function => "function",
        /// A section by its heading.
        Section => "section",
        /// Another part by its name.
        Element => "element",
        /// A path.
        Path => "path",
    }
);

closed_list!(
    /// The reviewer's recommendation.
    AssessmentVerdict {
        /// Accept it unchanged.
        Accept => "accept",
        /// Make the changes and review it again.
        Refine => "refine",
        /// Choose another approach.
        Reject => "reject",
        /// Leave the decision to a human.
        Escalate => "escalate",
    }
);

#[cfg(test)]
mod tests {
    use review_types::Severity;
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

    #[test]
    fn an_id_is_plain_and_may_be_a_uuid() {
        for (text, uuid) in [
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3", true),
            ("0192F0C1-2D3E-7A4B-8C5D-6E7F8091A2B3", true),
            ("0192f0c12d3e7a4b8c5d6e7f8091a2b3", false),
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2bg", false),
            ("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3-", false),
            ("0192f0c1-2d3e-7a4b-8c5d_6e7f8091a2b3", false),
            ("fb-001_example.a", false),
        ] {
            assert_eq!(DocumentId::new(text).unwrap().is_uuid(), uuid, "{text}");
        }
        assert!(DocumentId::new("a".repeat(MAX_ID_LENGTH)).is_ok());
        for text in ["", "a b", "ä", "a/b", &"a".repeat(MAX_ID_LENGTH + 1)] {
            assert!(DocumentId::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_word_is_the_same_in_json_and_in_messages() {
        assert_eq!(TargetType::Configuration.to_string(), "configuration");
        assert_eq!(serde_json::to_value(TargetType::Code).unwrap(), "code");
        assert_eq!(
            "final!".parse::<Phase>().unwrap_err().to_string(),
            "must be one of [initial refinement final], got: final!",
        );
    }
}
