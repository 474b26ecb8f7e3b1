//! The reviewer's verdict.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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
    #[must_use]
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
