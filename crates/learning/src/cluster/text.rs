//! The words of a feedback entry that are clustered.

use serde_json::Value as Json;

use crate::feedback::{Details, FeedbackEntry, FeedbackType};

/// The maximum length in bytes at which the expected and the actual value are read;
/// longer ones are listings.
const SHORT: usize = 160;
/// The field names of an issue, in order of precedence.
const ISSUE: [&str; 4] = ["error_message", "issue", "message", "text"];

/// What a piece of feedback says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackText {
    /// What is wrong, with the expected and the actual value if they are short; the
    /// correction if that is all that is known.
    pub issue: String,
    /// What to do about it; empty if that is not said.
    pub correction: String,
}

impl FeedbackText {
    fn new(issue: Option<&str>, correction: Option<&str>, short: [Option<&str>; 2]) -> Self {
        let correction = correction.unwrap_or_default();
        let short = short.into_iter().flatten();
        let issue: Vec<&str> = issue
            .into_iter()
            .chain(short.filter(|text| text.len() <= SHORT))
            .collect();
        Self {
            issue: match issue.is_empty() {
                true => correction.to_owned(),
                false => issue.join("\n"),
            },
            correction: correction.to_owned(),
        }
    }

    /// The issue and the correction as one string.
    #[must_use]
    pub fn whole(&self) -> String {
        if self.correction.is_empty() || self.issue == self.correction {
            self.issue.clone()
        } else {
            format!("{}\n{}", self.issue, self.correction)
        }
    }
}

/// A piece of feedback to cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The id, a string or a number; the line number if it has none.
    pub id: Json,
    /// The words.
    pub text: FeedbackText,
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
            text: FeedbackText::new(
                ISSUE.into_iter().find_map(member),
                member("correction"),
                [member("expected"), member("actual")],
            ),
        })
    }
}

/// Returns the words of a feedback entry. An entry that says nothing is represented by
/// its tags.
#[must_use]
pub fn text_of(entry: &FeedbackEntry) -> FeedbackText {
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
    let text = FeedbackText::new(error_message.as_deref(), correction.as_deref(), short);
    if text.issue.is_empty() {
        FeedbackText {
            issue: entry.tags.join(" "),
            ..text
        }
    } else {
        text
    }
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
                ["e\nx\ny", "c"],
            ),
            (
                json!({"id": 5, "issue": "i", "correction": "c"}),
                json!(5),
                ["i", "c"],
            ),
            (
                json!({"id": null, "message": "m", "text": "t"}),
                json!(7),
                ["m", ""],
            ),
            (json!({"text": "t", "correction": 1}), json!(7), ["t", ""]),
            (
                json!({"id": "b", "expected": &long, "actual": &long[1..]}),
                json!("b"),
                [&long[1..], ""],
            ),
            (
                json!({"id": "d", "correction": "c"}),
                json!("d"),
                ["c", "c"],
            ),
            (json!({"id": "c", "details": "d"}), json!("c"), ["", ""]),
        ];
        for (line, id, [issue, correction]) in table {
            let item = Item::read(line.to_string().as_bytes(), 7).unwrap();
            assert_eq!(item.id, id, "{line}");
            let text = FeedbackText {
                issue: issue.to_owned(),
                correction: correction.to_owned(),
            };
            assert_eq!(item.text, text, "{line}");
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
        assert_eq!(
            said(&entry),
            Item::read(entry.to_string().as_bytes(), 1).unwrap().text
        );
        assert_eq!(said(&entry).whole(), "e\na\nc");
        entry["details"] = json!({"correction": "c"});
        assert_eq!(said(&entry).whole(), "c");
        entry["details"] = json!({});
        assert_eq!(said(&entry).whole(), "quality_score testability");
    }
}
