//! The ledger of findings: what was raised in which rounds, and what became of
//! it.
//!
//! Each item of a review joins a finding that was raised before at the same
//! place about the same issue, in other words if need be, or becomes a new one;
//! no two items of one review join the same one unless they are equal. All of
//! this is a pure function of texts, and its result is recorded, so that no
//! replay depends on a lexicon.

mod identity;
mod join;
mod place;
mod sections;
mod standing;
#[cfg(test)]
mod tests;

use review_types::{FeedbackId, Finding, FindingCounts};
use serde::{Deserialize, Serialize};

pub(crate) use join::{Answer, Joining, join};
pub(crate) use place::text_at;
pub(crate) use sections::FileSections;
pub use standing::Settlement;

/// All findings of a loop, in the order in which they were first raised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    findings: Vec<Finding>,
}

impl Ledger {
    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The findings, those that were raised last first.
    pub(crate) fn latest(&self) -> Vec<&Finding> {
        let mut findings: Vec<_> = self.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.raised.last()));
        findings
    }

    /// The ids of items of the last round that are not for an applier, with those
    /// below the fail level where it gets only what blocks.
    pub(crate) fn not_for_appliers(
        &self,
        blocking_only: bool,
    ) -> impl Iterator<Item = &FeedbackId> {
        let findings = self.findings.iter();
        let left_out = findings.filter(move |finding| match blocking_only {
            true => !finding.blocks(),
            false => !finding.is_for_appliers(),
        });
        left_out.flat_map(|finding| &finding.feedback)
    }

    /// How many findings there are of each kind.
    pub(crate) fn counts(&self) -> FindingCounts {
        FindingCounts::of(&self.findings)
    }
}
