//! The words of a feedback entry that are clustered.

use crate::feedback::{Details, FeedbackEntry, FeedbackType};

/// The maximum length in bytes at which the expected and the actual value are read;
/// longer ones are listings.
const SHORT: usize = 160;

/// The content of a piece of feedback.
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
    pub fn whole(&self) -> String {
        if self.correction.is_empty() || self.issue == self.correction {
            self.issue.clone()
        } else {
            format!("{}\n{}", self.issue, self.correction)
        }
    }
}

/// Returns the words of a feedback entry. An entry that says nothing is represented by
/// its tags.
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
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::object::LearningObject;

    #[test]
    fn the_words_of_an_entry_are_its_issue_its_correction_or_its_tags() {
        let mut entry = json!({
            "id": "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3",
            "agent": "applier",
            "timestamp": "2026-03-01T12:30:05Z",
            "type": "quality_score",
            "details": {"error_message": "e", "correction": "c", "actual": "a"},
            "tags": ["quality_score", "testability"],
        });
        let said = |entry: &Json| text_of(&FeedbackEntry::read(entry).into_result().unwrap());
        assert_eq!(said(&entry).whole(), "e\na\nc");
        entry["details"]["expected"] = json!("x".repeat(161));
        assert_eq!(said(&entry).whole(), "e\na\nc");
        entry["details"] = json!({"correction": "c"});
        assert_eq!(said(&entry).whole(), "c");
        entry["details"] = json!({});
        assert_eq!(said(&entry).whole(), "quality_score testability");
    }
}
