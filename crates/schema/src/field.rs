//! The fields that an error can name.

use std::fmt;
use std::str::FromStr;

use review_types::CriterionName;
use serde::{Deserialize, Serialize};

use crate::Dialect;

/// A field of a review, as errors name it: `json`, `verdict`, `score`,
/// `score.testability`, `feedback`, `feedback[2].issue`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Field {
    /// No valid object was found.
    Json,
    /// The verdict.
    Verdict,
    /// The object of scores.
    Score,
    /// The score of one criterion.
    Criterion(CriterionName),
    /// The array of feedback.
    Feedback,
    /// One field of one item of feedback.
    Item {
        /// The item, counted from 0.
        index: usize,
        /// The field.
        key: ItemKey,
    },
    /// A field that only responses of the Agent Feedback Protocol have.
    Afp(AfpKey),
}

/// A field of a response of the Agent Feedback Protocol that a review does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AfpKey {
    /// The version of the protocol.
    ProtocolVersion,
    /// The number of the request.
    Iteration,
    /// Whether there is feedback.
    Status,
    /// Why there is no feedback.
    Error,
    /// The reviewer's confidence.
    Confidence,
}

impl AfpKey {
    /// All keys, in the order in which they are checked.
    pub const ALL: [Self; 5] = [
        Self::ProtocolVersion,
        Self::Iteration,
        Self::Status,
        Self::Error,
        Self::Confidence,
    ];

    /// Returns the key in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProtocolVersion => "protocol_version",
            Self::Iteration => "iteration",
            Self::Status => "status",
            Self::Error => "error",
            Self::Confidence => "confidence",
        }
    }
}

/// A field of an item of feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ItemKey {
    /// The section that has the issue.
    Section,
    /// The issue.
    Issue,
    /// The suggested fix.
    Suggestion,
    /// The severity.
    Severity,
}

impl ItemKey {
    /// All keys, in the order in which they are checked.
    pub const ALL: [Self; 4] = [Self::Section, Self::Issue, Self::Suggestion, Self::Severity];

    /// The keys of the three strings that every item has.
    pub(crate) const TEXTS: [Self; 3] = [Self::Section, Self::Issue, Self::Suggestion];

    /// Returns the key in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::Issue => "issue",
            Self::Suggestion => "suggestion",
            Self::Severity => "severity",
        }
    }

    /// Returns the key of the same content in a dialect.
    const fn in_dialect(self, dialect: Dialect) -> &'static str {
        match (dialect, self) {
            (Dialect::Verdict, _) | (Dialect::Actionable, Self::Issue | Self::Severity) => {
                self.as_str()
            }
            (Dialect::Afp, Self::Section) => "aspect",
            (Dialect::Afp, Self::Issue) => "description",
            (Dialect::Afp, Self::Suggestion) => "recommendation",
            (Dialect::Afp, Self::Severity) => "severity",
            (Dialect::Actionable, Self::Section) => "location",
            (Dialect::Actionable, Self::Suggestion) => "suggestion.action",
        }
    }
}

impl Field {
    /// Returns the field as a reviewer that answers in `dialect` knows it.
    #[must_use]
    pub fn in_dialect(&self, dialect: Dialect) -> String {
        let list = match dialect {
            Dialect::Verdict => return self.to_string(),
            Dialect::Afp => "feedback.areas_for_improvement",
            Dialect::Actionable => "feedback_items",
        };
        match (self, dialect) {
            (Self::Feedback, _) => list.to_owned(),
            (Self::Item { index, key }, _) => {
                format!("{list}[{index}].{}", key.in_dialect(dialect))
            }
            (Self::Verdict, Dialect::Actionable) => "overall_assessment.verdict".to_owned(),
            (Self::Score, Dialect::Actionable) => "overall_assessment.score".to_owned(),
            (Self::Afp(AfpKey::Confidence), Dialect::Afp) => "feedback.confidence".to_owned(),
            (Self::Verdict | Self::Score | Self::Criterion(_), Dialect::Afp) => {
                format!("review.{self}")
            }
            (_, _) => self.to_string(),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json => f.write_str("json"),
            Self::Verdict => f.write_str("verdict"),
            Self::Score => f.write_str("score"),
            Self::Criterion(name) => write!(f, "score.{name}"),
            Self::Feedback => f.write_str("feedback"),
            Self::Afp(key) => f.write_str(key.as_str()),
            Self::Item { index, key } => write!(f, "feedback[{index}].{}", key.as_str()),
        }
    }
}

/// A string that is not the name of a field of a review.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown field of a review: {0}")]
pub struct FieldParseError(pub String);

impl FromStr for Field {
    type Err = FieldParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || FieldParseError(text.to_owned());
        match text {
            "json" => return Ok(Self::Json),
            "verdict" => return Ok(Self::Verdict),
            "score" => return Ok(Self::Score),
            "feedback" => return Ok(Self::Feedback),
            _ => {}
        }
        if let Some(key) = AfpKey::ALL.into_iter().find(|key| key.as_str() == text) {
            return Ok(Self::Afp(key));
        }
        if let Some(name) = text.strip_prefix("score.") {
            let name = CriterionName::new(name).map_err(|_| unknown())?;
            return Ok(Self::Criterion(name));
        }
        let (index, key) = text
            .strip_prefix("feedback[")
            .and_then(|rest| rest.split_once("]."))
            .ok_or_else(unknown)?;
        let key = ItemKey::ALL.into_iter().find(|known| known.as_str() == key);
        Ok(Self::Item {
            index: index.parse().map_err(|_| unknown())?,
            key: key.ok_or_else(unknown)?,
        })
    }
}

impl TryFrom<String> for Field {
    type Error = FieldParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Field> for String {
    fn from(field: Field) -> Self {
        field.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_parsed_from_their_display() {
        for text in [
            "json",
            "verdict",
            "score",
            "score.a.b",
            "feedback",
            "feedback[12].suggestion",
            "feedback[3].severity",
            "protocol_version",
            "iteration",
            "status",
            "error",
            "confidence",
        ] {
            assert_eq!(text.parse::<Field>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn other_strings_are_not_fields() {
        for text in ["", "root", "score.", "feedback[x].issue", "feedback[1].id"] {
            assert_eq!(text.parse::<Field>(), Err(FieldParseError(text.to_owned())),);
        }
    }
}
