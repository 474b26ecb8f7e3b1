//! Two versions of a prompt, compared by the runs that used them.

use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::measure::Comparison;
use review_learning::prompt::VersionChange;
use serde::Serialize;

use crate::json::value;
use crate::text::fields;

/// Two versions of a prompt, compared.
#[derive(Debug, Serialize)]
pub struct PromptComparison<'a> {
    /// Whose prompt.
    pub agent: &'a AgentName,
    /// The version that the other one is compared with.
    pub before: NonZeroU32,
    /// The version that may be better.
    pub after: NonZeroU32,
    /// The rollback of a version that is not in use again; `null` if there was none.
    pub rolled_back: Option<VersionChange>,
    /// The result.
    #[serde(flatten)]
    pub found: &'a Comparison,
}

/// Returns a comparison as users read it.
#[must_use]
pub fn comparison(compared: &PromptComparison<'_>) -> String {
    fields(&value(compared), "")
}
