//! One item of feedback.

use serde::{Deserialize, Serialize};

/// One thing to change: where, what is wrong, and how to mend it. No field is
/// blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Wire")]
pub struct ReviewFeedback {
    section: String,
    issue: String,
    suggestion: String,
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
        })
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
}

impl TryFrom<Wire> for ReviewFeedback {
    type Error = BlankField;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        Self::new(wire.section, wire.issue, wire.suggestion)
    }
}
