//! The feedback entry.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use review_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{FeedbackType, Severity};
use crate::object::{Faults, Shape, Shaped};
use crate::{AgentName, Id};

/// What went wrong in one execution of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeedbackEntry {
    /// Its id.
    pub id: Id,
    /// The agent that the feedback is about.
    pub agent: AgentName,
    /// The time of the event.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: Timestamp,
    /// The source of the feedback.
    #[serde(rename = "type")]
    pub feedback_type: FeedbackType,
    /// The severity; medium if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Severity", default)]
    pub severity: Option<Severity>,
    /// The task, file and round concerned.
    #[serde(default, skip_serializing_if = "Context::is_empty")]
    pub context: Context,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Details::is_empty")]
    pub details: Details,
    /// Tags for the topic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// The task, file and round concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Context {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub task: Option<String>,
    /// The file concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub artifact_path: Option<String>,
    /// The round, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", default)]
    pub iteration: Option<u32>,
    /// The run or session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub session: Option<String>,
    /// The pattern of a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub pattern: Option<String>,
}

/// What went wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Details {
    /// The error or issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub error_message: Option<String>,
    /// The expected result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub expected: Option<String>,
    /// The actual result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub actual: Option<String>,
    /// The correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    pub correction: Option<String>,
    /// Scores by criterion.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub quality_scores: BTreeMap<String, f64>,
}

impl FeedbackEntry {
    /// Whether it says what went wrong. A score below its minimum and a bare exit
    /// status do not.
    pub(crate) fn is_specific(&self) -> bool {
        let details = &self.details;
        let is_bare = |reason: &String| BARE_REASONS.iter().any(|bare| reason.starts_with(bare));
        match self.feedback_type {
            _ if details.correction.is_some() => true,
            FeedbackType::QualityScore => false,
            FeedbackType::TestFailure => {
                details.actual.is_some() || !details.error_message.as_ref().is_none_or(is_bare)
            }
            FeedbackType::ValidationFailure
            | FeedbackType::ReviewRejection
            | FeedbackType::HumanCorrection
            | FeedbackType::SecurityFinding => true,
        }
    }

    /// Returns the severity; medium if none is given.
    pub fn effective_severity(&self) -> Severity {
        self.severity.unwrap_or_default()
    }

    /// The name of its file: `TIMESTAMP-ID.json`, with the timestamp in the basic
    /// format of ISO 8601, which has no colons.
    pub fn file_name(&self) -> String {
        format!("{}-{}.json", basic(self.timestamp), self.id)
    }
}

/// How the reason of a failed command starts if the command printed nothing.
const BARE_REASONS: [&str; 3] = ["exit status ", "exit code ", "signal "];

/// Formats a timestamp to the second, in the basic format.
fn basic(timestamp: Timestamp) -> String {
    let whole = Timestamp::from_unix_ms(timestamp.unix_ms().div_euclid(1000) * 1000);
    let mut text = whole.to_string();
    text.retain(|character| !matches!(character, '-' | ':'));
    text
}

impl Shaped for FeedbackEntry {
    fn shape() -> &'static Shape {
        static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<FeedbackEntry>);
        &SHAPE
    }

    fn rules(&self, faults: &mut Faults) {
        faults.blank("/agent", self.agent.as_str());
    }
}

impl Context {
    /// Whether all fields are absent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Details {
    /// Whether all fields are absent.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::object::{Code, LearningObject as _};

    fn whole() -> Json {
        json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "agent": "applier",
            "timestamp": "2026-03-01T12:30:05.250Z",
            "type": "test_failure",
            "severity": "critical",
            "context": {
                "task": "git/7",
                "artifact_path": "specs/GIT.md",
                "iteration": 2,
                "session": "r-1",
                "pattern": "missing-validation",
            },
            "details": {
                "error_message": "2 tests failed",
                "expected": "exit 0",
                "actual": "exit 101",
                "correction": "Check the length first.",
                "quality_scores": {"testability": 62.5},
            },
            "tags": ["test_failure", "testability"],
        })
    }

    #[test]
    fn an_entry_round_trips() {
        let reading = FeedbackEntry::read(&whole());
        assert_eq!(reading.diagnostics, []);
        let entry = reading.object.unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), whole());
        assert_eq!(entry.effective_severity(), Severity::Critical);
        let again = FeedbackEntry::parse(&serde_json::to_vec(&entry).unwrap());
        assert_eq!(again.into_result(), Ok(entry));
    }

    #[test]
    fn an_entry_without_optional_fields_is_medium_and_stays_short() {
        let mut little = whole();
        for key in ["severity", "context", "details", "tags"] {
            little.as_object_mut().unwrap().remove(key);
        }
        let entry = FeedbackEntry::read(&little).into_result().unwrap();
        assert_eq!(entry.effective_severity(), Severity::Medium);
        assert_eq!(serde_json::to_value(&entry).unwrap(), little);
    }

    #[test]
    fn scores_and_exit_statuses_do_not_say_what_went_wrong() {
        let read = |feedback_type: &str, details: Json| {
            let mut entry = whole();
            entry["type"] = json!(feedback_type);
            entry["details"] = details;
            FeedbackEntry::read(&entry)
                .into_result()
                .unwrap()
                .is_specific()
        };
        let message = |message: &str| json!({"error_message": message});
        for (feedback_type, details, expected) in [
            (
                "quality_score",
                message("completeness is below its minimum"),
                false,
            ),
            ("test_failure", message("exit status 1"), false),
            ("test_failure", json!({}), false),
            ("test_failure", message("upload: no timeout"), true),
            (
                "test_failure",
                json!({"error_message": "exit status 1", "actual": "x"}),
                true,
            ),
            (
                "quality_score",
                json!({"correction": "Name the limit."}),
                true,
            ),
            ("review_rejection", message("exit status 1"), true),
        ] {
            assert_eq!(read(feedback_type, details.clone()), expected, "{details}");
        }
    }

    #[test]
    fn a_file_name_has_no_colon() {
        let entry = FeedbackEntry::read(&whole()).into_result().unwrap();
        assert_eq!(
            entry.file_name(),
            "20260301T123005Z-0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3.json"
        );
    }

    #[test]
    fn each_error_has_its_location() {
        for (pointer, value, code) in [
            ("/id", json!("feedback-1"), "learning.value_form"),
            ("/agent", json!(" "), "learning.text_blank"),
            (
                "/timestamp",
                json!("2025-02-30T00:00:00Z"),
                "learning.not_instant",
            ),
            (
                "/timestamp",
                json!("2025-02-03 00:00:00Z"),
                "learning.not_instant",
            ),
            ("/type", json!("low_quality_score"), "learning.word_unknown"),
            ("/severity", json!("blocking"), "learning.word_unknown"),
            ("/severity", json!(null), "learning.member_type"),
            ("/context", json!([]), "learning.member_type"),
            ("/context/iteration", json!(1.5), "learning.member_type"),
            ("/context/iteration", json!(-1), "learning.out_of_range"),
            (
                "/details/quality_scores/a~1b",
                json!("high"),
                "learning.member_type",
            ),
            ("/details/expected", json!(1), "learning.member_type"),
            ("/tags/1", json!(7), "learning.member_type"),
        ] {
            let mut entry = whole();
            if pointer.ends_with("a~1b") {
                entry["details"]["quality_scores"]["a/b"] = json!(null);
            }
            *entry.pointer_mut(pointer).unwrap() = value;
            let reading = FeedbackEntry::read(&entry);
            let errors: Vec<_> = reading
                .diagnostics
                .iter()
                .map(|one| (one.pointer.as_str(), one.code.as_str()))
                .collect();
            assert_eq!(errors, [(pointer, code)]);
            assert_eq!(reading.object, None, "{pointer}");
        }
    }

    #[test]
    fn missing_required_fields_are_errors() {
        let reading = FeedbackEntry::read(&json!({}));
        let errors: Vec<_> = reading
            .diagnostics
            .iter()
            .map(|one| one.pointer.as_str())
            .collect();
        assert_eq!(errors, ["/id", "/agent", "/timestamp", "/type"]);
        assert!(
            reading
                .diagnostics
                .iter()
                .all(|one| one.code == Code::MemberMissing)
        );
        let reading = FeedbackEntry::read(&json!([]));
        assert_eq!(
            reading.diagnostics[0].message,
            "expected an object, found an array"
        );
    }

    #[test]
    fn only_an_unknown_key_similar_to_a_known_one_is_a_warning() {
        let mut entry = whole();
        entry["severty"] = json!("low");
        entry["colour"] = json!("red");
        let reading = FeedbackEntry::read(&entry);
        let errors: Vec<_> = reading
            .diagnostics
            .iter()
            .map(|one| (one.pointer.as_str(), one.advice()))
            .collect();
        assert_eq!(errors, [("/severty", "severity")]);
        assert!(reading.object.is_some());
    }

    #[test]
    fn invalid_json_is_reported_with_its_line() {
        let reading = FeedbackEntry::parse(b"{\n\"id\": }");
        assert_eq!(reading.diagnostics[0].code, Code::Syntax);
        assert_eq!(reading.diagnostics[0].line, 2);
    }
}
