//! The reviewer's verdict, and the severity of what it finds.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::closed_list;

/// The decision of a reviewer. There is no third value: an answer without a
/// verdict is an error, never a `Verdict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The artifact needs no changes.
    Pass,
    /// The artifact needs the changes in the feedback.
    NeedsRevision,
}

impl Verdict {
    /// Both verdicts, in the order in which messages list them.
    pub const ALL: [Self; 2] = [Self::Pass, Self::NeedsRevision];

    /// Returns the word used in JSON and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NeedsRevision => "needs_revision",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of [pass needs_revision], got: {0}")]
pub struct UnknownVerdict(pub String);

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
            .ok_or_else(|| UnknownVerdict(text.to_owned()))
    }
}

closed_list!(
    /// The severity of an item, the highest first.
    Severity {
        /// It must be fixed.
        Critical => "critical",
        /// It should be fixed.
        Major => "major",
        /// It may remain.
        Minor => "minor",
        /// It is a proposal.
        Suggestion => "suggestion",
    }
);

impl Severity {
    /// Returns the severity of an item without one, by the verdict
    /// that it came with.
    #[must_use]
    pub const fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Minor,
            Verdict::NeedsRevision => Self::Major,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_in_json_and_in_messages() {
        for (severity, word) in Severity::ALL.iter().zip(Severity::WORDS) {
            assert_eq!(severity.as_str(), *word);
            assert_eq!(serde_json::to_value(severity).unwrap(), *word);
            assert_eq!(word.parse(), Ok(*severity));
        }
    }

    #[test]
    fn the_highest_severity_comes_first() {
        assert!(Severity::ALL.is_sorted());
        assert_eq!(Severity::ALL[0], Severity::Critical);
    }
}
