//! One item of feedback.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::IdError;
use crate::actionable::Severity;
use crate::id::name_type;

name_type!(
    /// The name of the field in which a reviewer is told of the rounds before;
    /// `feedback_history` by default.
    #[cfg_attr(feature = "schema", schemars(extend("pattern" = "^[A-Za-z_][A-Za-z0-9_]{0,63}$")))]
    MemoryKey,
    "a field for earlier feedback",
    "at most 64 ASCII letters, digits and _, no digit first, and no other field of a request",
    is_memory_key
);

/// The other fields that stand beside it.
const OTHER_FIELDS: [&str; 6] = [
    "review_id",
    "instructions",
    "criteria",
    "open_findings",
    "guidance",
    "retry",
];

fn is_memory_key(text: &str) -> bool {
    let is_word = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = text
        .bytes()
        .next()
        .is_some_and(|byte| !byte.is_ascii_digit());
    is_word && begins && text.len() <= 64 && !OTHER_FIELDS.contains(&text)
}

impl Default for MemoryKey {
    fn default() -> Self {
        Self("feedback_history".to_owned())
    }
}

/// One thing to change: where, what is wrong, and how to mend it. No text is
/// blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Wire")]
pub struct ReviewFeedback {
    section: String,
    issue: String,
    suggestion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
}

#[derive(Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ReviewFeedback")
)]
struct Wire {
    section: String,
    issue: String,
    suggestion: String,
    /// How much it matters, where its reviewer says so.
    #[serde(default)]
    severity: Option<Severity>,
}

/// The first field of an item that is blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be empty")]
pub struct BlankField(pub &'static str);

impl ReviewFeedback {
    /// Builds an item from its three texts.
    ///
    /// # Errors
    /// [`BlankField`] names the first text that holds nothing but blanks, in
    /// the order section, issue, suggestion.
    pub fn new(
        section: impl Into<String>,
        issue: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Result<Self, BlankField> {
        let (section, issue, suggestion) = (section.into(), issue.into(), suggestion.into());
        for (name, text) in [
            ("section", &section),
            ("issue", &issue),
            ("suggestion", &suggestion),
        ] {
            if text.trim().is_empty() {
                return Err(BlankField(name));
            }
        }
        Ok(Self {
            section,
            issue,
            suggestion,
            severity: None,
        })
    }

    /// The same item, which matters so much.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self {
            severity: Some(severity),
            ..self
        }
    }

    /// The section of the artifact that has the issue.
    #[must_use]
    pub fn section(&self) -> &str {
        &self.section
    }

    /// What is wrong.
    #[must_use]
    pub fn issue(&self) -> &str {
        &self.issue
    }

    /// What to do about it.
    #[must_use]
    pub fn suggestion(&self) -> &str {
        &self.suggestion
    }

    /// How much it matters, where its reviewer says so.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.severity
    }

    /// Whether the other one says the same, whatever it matters.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        (&self.section, &self.issue, &self.suggestion)
            == (&other.section, &other.issue, &other.suggestion)
    }
}

impl TryFrom<Wire> for ReviewFeedback {
    type Error = BlankField;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let item = Self::new(wire.section, wire.issue, wire.suggestion)?;
        Ok(Self {
            severity: wire.severity,
            ..item
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_written_with_its_severity_where_it_has_one() {
        let item = ReviewFeedback::new("Goals", "open", "close").unwrap();
        let grave = item.clone().with_severity(Severity::Critical);
        let json = |item| serde_json::to_value(item).unwrap();
        let texts = serde_json::json!({"section": "Goals", "issue": "open", "suggestion": "close"});
        assert_eq!(json(&item), texts);
        assert_eq!(json(&grave)["severity"], "critical");
        for item in [&item, &grave] {
            let read: ReviewFeedback = serde_json::from_value(json(item)).unwrap();
            assert_eq!(read, *item);
        }
        let other = ReviewFeedback::new("Goals", "open", "shut").unwrap();
        assert!(item.says_the_same(&grave) && item != grave);
        assert!(!item.says_the_same(&other));
    }

    #[test]
    fn the_field_for_earlier_feedback_is_a_word_of_its_own() {
        assert_eq!(MemoryKey::default().as_str(), "feedback_history");
        for text in ["_", "Rounds_2", &"a".repeat(64)] {
            assert!(MemoryKey::new(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "2nd",
            "a-b",
            "r\u{e9}",
            "retry",
            "criteria",
            &"a".repeat(65),
        ] {
            assert!(MemoryKey::new(text).is_err(), "{text}");
        }
    }
}
