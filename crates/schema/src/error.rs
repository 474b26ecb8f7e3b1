//! The error of a malformed answer, and the field that it names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Dialect;
use crate::afp::{ErrorCode, ProtocolError};

/// Maximum length of a quotation from an answer in a message.
pub(crate) const MAX_QUOTED: usize = 80;

/// A field of an answer, as its path: `verdict`, `score.testability`, `feedback[2].issue`,
/// `feedback.areas_for_improvement[0].description`; `json` if no valid object was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field(String);

impl Field {
    /// Returns the field of an answer without a valid object.
    #[must_use]
    pub fn json() -> Self {
        Self("json".to_owned())
    }

    /// Returns the field at a path.
    #[must_use]
    pub fn at(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// Returns a field of an item of feedback in an answer of `dialect`.
    #[must_use]
    pub fn of_item(dialect: Dialect, index: usize, key: ItemKey) -> Self {
        let (list, key) = (dialect.items(), key.in_dialect(dialect));
        Self(format!("{list}[{index}].{key}"))
    }

    /// Returns the field `key` in this object.
    pub(crate) fn key(&self, key: &str) -> Self {
        let separator = if self.0.is_empty() { "" } else { "." };
        Self(format!("{}{separator}{key}", self.0))
    }

    /// Returns the item in this array.
    pub(crate) fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// Returns the path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A string that every item of feedback has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKey {
    /// The section that has the issue.
    Section,
    /// The issue.
    Issue,
    /// The suggested fix.
    Suggestion,
}

impl ItemKey {
    /// All keys, in the order in which they are checked.
    pub(crate) const ALL: [Self; 3] = [Self::Section, Self::Issue, Self::Suggestion];

    /// Returns the path of this string in an item of a dialect.
    pub(crate) const fn in_dialect(self, dialect: Dialect) -> &'static str {
        match (dialect, self) {
            (Dialect::Verdict, Self::Section) => "section",
            (Dialect::Verdict | Dialect::Actionable, Self::Issue) => "issue",
            (Dialect::Verdict, Self::Suggestion) => "suggestion",
            (Dialect::Afp, Self::Section) => "aspect",
            (Dialect::Afp, Self::Issue) => "description",
            (Dialect::Afp, Self::Suggestion) => "recommendation",
            (Dialect::Actionable, Self::Section) => "location",
            (Dialect::Actionable, Self::Suggestion) => "suggestion.action",
        }
    }
}

impl Dialect {
    /// Returns the path of the items of feedback.
    pub(crate) const fn items(self) -> &'static str {
        match self {
            Self::Verdict => "feedback",
            Self::Afp => "feedback.areas_for_improvement",
            Self::Actionable => "feedback_items",
        }
    }
}

/// The first invalid field of an answer, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("schema validation failed: {field} - {message}")]
pub struct SchemaError {
    /// The invalid field.
    pub field: Field,
    /// The error message.
    pub message: String,
    /// The offset in bytes of the error in the decoded answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// A suggestion for the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The error code, if the answer is a valid error response of the Agent Feedback
    /// Protocol, which contains no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

impl SchemaError {
    /// Returns an error in a field.
    #[must_use]
    pub fn of(field: Field, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
            at: None,
            hint: None,
            code: None,
        }
    }

    pub(crate) fn refused(field: Field, error: &ProtocolError) -> Self {
        Self {
            code: Some(error.code.clone()),
            ..Self::of(field, error.to_string())
        }
    }

    pub(crate) fn json(message: impl Into<String>) -> Self {
        Self::of(Field::json(), message)
    }

    pub(crate) fn verdict(message: impl Into<String>) -> Self {
        Self::of(Field::at("verdict"), message)
    }

    pub(crate) fn at(mut self, at: usize) -> Self {
        self.at = Some(at);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
