//! The ledger of findings: in which rounds each was raised, and its outcome.
//!
//! Each item of a review joins a finding that was raised earlier at the same place in
//! the same words, or whose id it carries; an item in other words is a new finding that
//! is similar to the earlier one. No two items of one review join the same finding unless
//! they are equal. This
//! is a pure function of strings, and its result is recorded, so that no replay
//! depends on a lexicon.

mod history;
mod identity;
mod matching;
mod place;
mod quotes;
mod sections;
#[cfg(test)]
mod tests;

use review_types::{
    Decision, DecisionStatus, FeedbackId, Finding, FindingCounts, FindingStatus, ReasonCode,
};
use serde::{Deserialize, Serialize};

pub use history::FindingDecision;
pub use matching::RoundFindings;
pub(crate) use matching::{ReviewedRound, match_findings};
pub(crate) use place::{is_changed, text_at};
pub(crate) use sections::FileSections;
#[cfg(test)]
pub(crate) use sections::test_file;

/// All findings of a loop, in the order in which they were first raised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    findings: Vec<Finding>,
}

impl Ledger {
    /// The findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the findings, the most recent first.
    pub(crate) fn latest(&self) -> Vec<&Finding> {
        let mut findings: Vec<_> = self.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.raised.last()));
        findings
    }

    /// Returns the ids of the items of the last round that are not for an applier;
    /// with `blocking_only`, this includes those below the fail level.
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

    /// Returns the last decision that was stated on the finding of an item that is not
    /// for an applier: its rejection, or that a user waived it.
    pub(crate) fn decided_before(&self, id: &FeedbackId) -> Option<Decision> {
        let mut findings = self.findings.iter();
        let finding = findings.find(|finding| finding.feedback.contains(id))?;
        let mut history = finding.history.iter().rev();
        let change = history.find(|change| {
            let is_settled = matches!(
                change.status,
                FindingStatus::Rejected | FindingStatus::Waived
            );
            is_settled && !change.inferred
        })?;
        let code = match &change.by {
            Some(_) => ReasonCode::new("waived").ok(),
            None => change.reason_code.clone(),
        };
        let is_code = |why: &String| code.as_ref().is_some_and(|code| code.as_str() == why);
        let why = change.why.clone().filter(|why| !is_code(why));
        Decision::new(id.clone(), DecisionStatus::Rejected, code, why).ok()
    }

    /// Returns the number of findings of each kind.
    pub(crate) fn counts(&self) -> FindingCounts {
        FindingCounts::of(&self.findings)
    }
}
