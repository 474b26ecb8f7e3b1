//! Strings with a minimum and a maximum length, in Unicode scalar values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A string of `MIN` to `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BoundedText<const MIN: usize, const MAX: usize>(String);

/// The problem.
pub type Issue = BoundedText<20, 500>;

/// The suggested action.
pub type Action = BoundedText<20, 1000>;

/// The reason for the action.
pub type Rationale = BoundedText<20, 500>;

/// A summary in a few sentences.
pub type Summary = BoundedText<50, 500>;

/// A string that is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {min} to {max} characters, found {got}")]
pub struct TextLength {
    /// The minimum number of characters.
    pub min: usize,
    /// The maximum number of characters.
    pub max: usize,
    /// The actual number of characters.
    pub got: usize,
}

impl<const MIN: usize, const MAX: usize> BoundedText<MIN, MAX> {
    /// The minimum number of characters.
    pub const MIN: usize = MIN;

    /// The maximum number of characters.
    pub const MAX: usize = MAX;

    /// Checks the length of a string.
    ///
    /// # Errors
    /// [`TextLength`] when it is too short or too long.
    pub(crate) fn new(text: impl Into<String>) -> Result<Self, TextLength> {
        let text = text.into();
        let got = text.chars().count();
        if (MIN..=MAX).contains(&got) {
            return Ok(Self(text));
        }
        let (min, max) = (MIN, MAX);
        Err(TextLength { min, max, got })
    }

    /// Returns the string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for BoundedText<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MIN: usize, const MAX: usize> TryFrom<String> for BoundedText<MIN, MAX> {
    type Error = TextLength;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl<const MIN: usize, const MAX: usize> From<BoundedText<MIN, MAX>> for String {
    fn from(text: BoundedText<MIN, MAX>) -> Self {
        text.0
    }
}

impl<const MIN: usize, const MAX: usize> schemars::JsonSchema for BoundedText<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_characters_not_bytes() {
        assert!(Issue::new("ä".repeat(20)).is_ok());
        assert!(Issue::new("\u{1F980}".repeat(500)).is_ok());
        let length = |got| TextLength {
            min: 20,
            max: 500,
            got,
        };
        assert_eq!(Issue::new("ä".repeat(19)), Err(length(19)));
        assert_eq!(Issue::new("a".repeat(501)), Err(length(501)));
        assert_eq!(
            Summary::new("short").unwrap_err().to_string(),
            "expected 50 to 500 characters, found 5"
        );
    }

    #[test]
    fn a_serialized_string_is_parsed_again() {
        let text = Action::new("Replace the loop by one call").unwrap();
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(json, "\"Replace the loop by one call\"");
        assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), text);
        assert!(serde_json::from_str::<Action>("\"Replace\"").is_err());
    }
}
