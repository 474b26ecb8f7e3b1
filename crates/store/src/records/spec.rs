//! The record of a spec's verdict.

use review_types::{Hash, ModelId, RunId, Timestamp, Verdict};
use serde::{Deserialize, Serialize};

/// The verdict of a run on a spec and its unit, or an approval instead of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRecord {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// The reviewer, actual or intended.
    pub reviewer: ModelId,
    /// The decision; an approval is not a pass.
    pub verdict: Verdict,
    /// The users who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The run.
    pub run: RunId,
    /// The time of the decision.
    pub at: Timestamp,
}

impl SpecRecord {
    /// Whether it is a pass of this version of the artifact.
    pub fn proves(&self, artifact: Hash) -> bool {
        self.verdict == Verdict::Pass && self.artifact == artifact
    }

    /// The user who approved this version of the artifact, if there is one.
    pub fn approver(&self, artifact: Hash) -> Option<&str> {
        self.approved_by
            .as_deref()
            .filter(|_| self.artifact == artifact)
    }
}
