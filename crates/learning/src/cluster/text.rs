//! The text of a piece of feedback that is clustered.

use serde_json::Value as Json;

use crate::feedback::{Details, FeedbackEntry, FeedbackType};

/// The maximum length in bytes at which the expected and the actual value are read;
/// longer ones are listings.
const SHORT: usize = 160;
/// The field names of an issue, in order of precedence.
const ISSUE: [&str; 4] = ["error_message", "issue", "message", "text"];

/// A piece of feedback to cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The id, a string or a number; the line number if it has none.
    pub id: Json,
    /// The text.
    pub text: String,
}

/// A line that is not a piece of feedback.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// The line is not JSON.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// The line is JSON but not an object.
    #[error("expected a JSON object")]
    NotAnObject,
}

impl Item {
    /// Reads a line, where `line` is its number in the file: a feedback entry, or an
    /// object with the fields of its `details`; the issue may also be called `issue`,
    /// `message` or `text`.
    ///
    /// # Errors
    /// Returns an error when the line is not an object.
    pub fn read(text: &[u8], line: u64) -> Result<Self, ItemError> {
        let value: Json = serde_json::from_slice(text)?;
        let object = value.as_object().ok_or(ItemError::NotAnObject)?;
        let said = object.get("details").and_then(Json::as_object);
        let said = said.unwrap_or(object);
        let member = |key: &str| said.get(key).and_then(Json::as_str);
        let id = object
            .get("id")
            .filter(|id| id.is_string() || id.is_number());
        Ok(Self {
            id: id.cloned().unwrap_or_else(|| line.into()),
            text: composed(
                ISSUE.into_iter().find_map(member),
                member("correction"),
                [member("expected"), member("actual")],
            ),
        })
    }
}

/// Returns the text of a feedback entry: its issue and its correction, and the expected
/// and the actual value if they are short. An entry without any of them is represented
/// by its tags.
#[must_use]
pub fn text_of(entry: &FeedbackEntry) -> String {
    let Details {
        error_message,
        expected,
        actual,
        correction,
        quality_scores: _,
    } = &entry.details;
    // What a command should do is the same for all of them, and its output is in the issue.
    let short = match entry.feedback_type {
        FeedbackType::TestFailure => [None, None],
        _ => [expected.as_deref(), actual.as_deref()],
    };
    let text = composed(error_message.as_deref(), correction.as_deref(), short);
    if text.is_empty() {
        entry.tags.join(" ")
    } else {
        text
    }
}

fn composed(issue: Option<&str>, correction: Option<&str>, short: [Option<&str>; 2]) -> String {
    let short = short.into_iter().flatten();
    let said = issue.into_iter().chain(correction);
    let all: Vec<&str> = said
        .chain(short.filter(|text| text.len() <= SHORT))
        .collect();
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::object::LearningObject;

    #[test]
    fn an_issue_has_several_names() {
        let long = "x".repeat(161);
        let table = [
            (
                json!({"id": "a", "details": {
                    "error_message": "e", "correction": "c", "expected": "x", "actual": "y"
                }, "text": "t"}),
                json!("a"),
                "e\nc\nx\ny",
            ),
            (
                json!({"id": 5, "issue": "i", "correction": "c"}),
                json!(5),
                "i\nc",
            ),
            (
                json!({"id": null, "message": "m", "text": "t"}),
                json!(7),
                "m",
            ),
            (json!({"text": "t", "correction": 1}), json!(7), "t"),
            (
                json!({"id": "b", "expected": &long, "actual": &long[1..]}),
                json!("b"),
                &long[1..],
            ),
            (json!({"id": "c", "details": "d"}), json!("c"), ""),
        ];
        for (line, id, text) in table {
            let item = Item::read(line.to_string().as_bytes(), 7).unwrap();
            assert_eq!((item.id, item.text.as_str()), (id, text), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_not_an_object_is_rejected() {
        let said = |line: &str| Item::read(line.as_bytes(), 1).unwrap_err().to_string();
        assert_eq!(said("[]"), "expected a JSON object");
        assert!(said("{").contains("EOF while parsing"), "{}", said("{"));
    }

    #[test]
    fn an_entry_and_its_line_have_the_same_text() {
        let mut entry = json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "agent": "applier",
            "timestamp": "2026-03-01T12:30:05Z",
            "type": "quality_score",
            "details": {"error_message": "e", "correction": "c", "actual": "a"},
            "tags": ["quality_score", "testability"],
        });
        let said = |entry: &Json| text_of(&FeedbackEntry::read(entry).into_result().unwrap());
        assert_eq!(said(&entry), "e\nc\na");
        entry["details"] = json!({});
        assert_eq!(said(&entry), "quality_score testability");
    }
}
