//! The verdict on a spec.

use review_types::{Hash, ModelId, RunId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};

/// The verdict that a run reached on a spec and its unit, or the approval that it
/// ended with in place of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRecord {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// Who reviewed it, or was to review it.
    pub reviewer: ModelId,
    /// What was decided; an approval is no pass.
    pub verdict: Verdict,
    /// The persons who approved it all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The run.
    pub run: RunId,
    /// When it was decided.
    pub at: Timestamp,
}

impl SpecRecord {
    /// Whether it says that the artifact as it is now is good.
    #[must_use]
    pub fn proves(&self, artifact: Hash) -> bool {
        self.verdict == Verdict::Pass && self.artifact == artifact
    }

    /// Who approved the artifact as it is now, if somebody did.
    #[must_use]
    pub fn approver(&self, artifact: Hash) -> Option<&str> {
        self.approved_by
            .as_deref()
            .filter(|_| self.artifact == artifact)
    }
}
