//! The entry.

use std::collections::BTreeMap;

use review_types::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;

use super::{FeedbackType, Severity};
use crate::Id;
use crate::object::{Code, Fields, LearningObject, Reading, UnknownKeys, reading};

/// What went wrong in one execution of an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackEntry {
    /// Its id.
    pub id: Id,
    /// The agent that the feedback is about.
    pub agent: String,
    /// When it happened.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time")))]
    pub timestamp: Timestamp,
    /// Where it comes from.
    #[serde(rename = "type")]
    pub feedback_type: FeedbackType,
    /// How grave it is; without one it is medium.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Severity", default))]
    pub severity: Option<Severity>,
    /// What was being done.
    #[serde(skip_serializing_if = "Context::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub context: Context,
    /// What went wrong.
    #[serde(skip_serializing_if = "Details::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub details: Details,
    /// What it is about, in single words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub tags: Vec<String>,
}

/// What was being done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Context {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub task: Option<String>,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub artifact_path: Option<String>,
    /// The round, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u32", default))]
    pub iteration: Option<u32>,
    /// The run or the session that it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub session: Option<String>,
}

/// What went wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Details {
    /// What was said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub error_message: Option<String>,
    /// What should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub expected: Option<String>,
    /// What was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub actual: Option<String>,
    /// What is to be done instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String", default))]
    pub correction: Option<String>,
    /// Scores by criterion.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub quality_scores: BTreeMap<String, f64>,
}

impl FeedbackEntry {
    /// How grave it is; medium where it says nothing.
    #[must_use]
    pub fn effective_severity(&self) -> Severity {
        self.severity.unwrap_or_default()
    }

    /// The name of its file: `TIMESTAMP-ID.json`, with the instant in the basic
    /// form of ISO 8601, which has no colons.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}-{}.json", basic(self.timestamp), self.id)
    }
}

/// An instant to the second, in the basic form.
fn basic(timestamp: Timestamp) -> String {
    let whole = Timestamp::from_unix_ms(timestamp.unix_ms().div_euclid(1000) * 1000);
    let mut text = whole.to_string();
    text.retain(|character| !matches!(character, '-' | ':'));
    text
}

impl LearningObject for FeedbackEntry {
    fn read(value: &Json) -> Reading<Self> {
        reading(value, UnknownKeys::ToldIfNear, |fields| {
            for key in ["id", "agent", "timestamp", "type"] {
                fields.require(key);
            }
            let id = fields.parsed("id", Code::IdNotUuid);
            let agent = fields.said_text("agent");
            let timestamp = fields.instant("timestamp");
            let feedback_type = fields.word("type");
            let severity = fields.word("severity");
            let context = fields.object("context", Context::of).unwrap_or_default();
            let details = fields.object("details", Details::of).unwrap_or_default();
            let tags = fields.texts("tags").unwrap_or_default();
            Some(Self {
                id: id?,
                agent: agent?,
                timestamp: timestamp?,
                feedback_type: feedback_type?,
                severity,
                context,
                details,
                tags,
            })
        })
    }
}

impl Context {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn of(fields: &mut Fields<'_, '_>) -> Self {
        Self {
            task: fields.text("task"),
            artifact_path: fields.text("artifact_path"),
            iteration: fields.whole("iteration", 0..=u32::MAX),
            session: fields.text("session"),
        }
    }
}

impl Details {
    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn of(fields: &mut Fields<'_, '_>) -> Self {
        let scores = fields.numbers("quality_scores").unwrap_or_default();
        Self {
            error_message: fields.text("error_message"),
            expected: fields.text("expected"),
            actual: fields.text("actual"),
            correction: fields.text("correction"),
            quality_scores: scores.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
    fn what_is_read_is_written_again() {
        let reading = FeedbackEntry::read(&whole());
        assert_eq!(reading.diagnostics, []);
        let entry = reading.object.unwrap();
        assert_eq!(serde_json::to_value(&entry).unwrap(), whole());
        assert_eq!(entry.effective_severity(), Severity::Critical);
        let again = FeedbackEntry::parse(&serde_json::to_vec(&entry).unwrap());
        assert_eq!(again.into_result(), Ok(entry));
    }

    #[test]
    fn what_says_little_is_medium_and_stays_short() {
        let mut little = whole();
        for key in ["severity", "context", "details", "tags"] {
            little.as_object_mut().unwrap().remove(key);
        }
        let entry = FeedbackEntry::read(&little).into_result().unwrap();
        assert_eq!(entry.effective_severity(), Severity::Medium);
        assert_eq!(serde_json::to_value(&entry).unwrap(), little);
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
    fn each_fault_is_told_where_it_is() {
        for (pointer, value, code) in [
            ("/id", json!("feedback-1"), "learning.id_not_uuid"),
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
            let told: Vec<_> = reading
                .diagnostics
                .iter()
                .map(|one| (one.pointer.as_str(), one.code.as_str()))
                .collect();
            assert_eq!(told, [(pointer, code)]);
            assert_eq!(reading.object, None, "{pointer}");
        }
    }

    #[test]
    fn required_members_are_missed() {
        let reading = FeedbackEntry::read(&json!({}));
        let told: Vec<_> = reading
            .diagnostics
            .iter()
            .map(|one| one.pointer.as_str())
            .collect();
        assert_eq!(told, ["/id", "/agent", "/timestamp", "/type"]);
        assert!(
            reading
                .diagnostics
                .iter()
                .all(|one| one.code == Code::MemberMissing)
        );
        let reading = FeedbackEntry::read(&json!([]));
        assert_eq!(
            reading.diagnostics[0].message,
            "must be an object, got a list"
        );
    }

    #[test]
    fn a_key_near_to_a_known_one_is_told_and_another_one_is_not() {
        let mut entry = whole();
        entry["severty"] = json!("low");
        entry["colour"] = json!("red");
        let reading = FeedbackEntry::read(&entry);
        let told: Vec<_> = reading
            .diagnostics
            .iter()
            .map(|one| (one.pointer.as_str(), one.advice()))
            .collect();
        assert_eq!(told, [("/severty", "severity")]);
        assert!(reading.object.is_some());
    }

    #[test]
    fn a_text_that_is_no_json_is_told_with_its_line() {
        let reading = FeedbackEntry::parse(b"{\n\"id\": }");
        assert_eq!(reading.diagnostics[0].code, Code::Syntax);
        assert_eq!(reading.diagnostics[0].line, 2);
    }
}
