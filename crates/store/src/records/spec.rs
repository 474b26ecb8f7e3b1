//! The verdict on a spec.

use review_types::{Hash, ModelId, RunId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};

/// The verdict that a run reached on a spec and its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRecord {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// Who reviewed it.
    pub reviewer: ModelId,
    /// What was decided.
    pub verdict: Verdict,
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
}
