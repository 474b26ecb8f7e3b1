//! The history of a finding and its status.

use std::num::NonZeroU32;

use review_types::{
    DecisionStatus, Finding, FindingChange, FindingEvidence, FindingId, FindingPlace,
    FindingStatus, Hash, ReasonCode, Severity, TakenDecision,
};
use serde::{Deserialize, Serialize};

/// Minimum number of rounds that a finding keeps; with a larger window, as many as that.
const MAX_RAISED: usize = 16;
/// Maximum number of changes that a finding keeps.
const MAX_HISTORY: usize = 32;

/// A user's decision on a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingDecision {
    /// The finding.
    pub finding: FindingId,
    /// Whether the finding counts: false for a waiver.
    pub counts: bool,
    /// The user who decided.
    pub by: String,
    /// Why.
    pub why: String,
    /// Hash of the content at its place. A waiver applies only to this content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Hash>,
    /// Its severity when it was shown: a waiver applies to nothing more severe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

impl FindingDecision {
    /// Returns whether it applies to a finding of this severity: a waiver is for nothing more
    /// severe than what was shown.
    #[must_use]
    pub fn is_for(&self, severity: Severity) -> bool {
        self.counts || self.severity.is_none_or(|shown| severity >= shown)
    }
}

/// Records what an applier did about a finding; `text` is the current text at its place.
pub(super) fn answered(
    finding: &mut Finding,
    iteration: u32,
    taken: &TakenDecision,
    text: Option<Hash>,
) {
    if !finding.status.blocks() {
        return;
    }
    let decision = &taken.decision;
    let code = decision.reason_code();
    let why = decision.explanation().or(code.map(ReasonCode::as_str));
    let status = match decision.status() {
        DecisionStatus::Accepted => FindingStatus::Fixed,
        DecisionStatus::Partial => FindingStatus::Partial,
        DecisionStatus::Rejected if taken.inferred => FindingStatus::Open,
        DecisionStatus::Rejected => FindingStatus::Rejected,
    };
    let says_fixed = decision.status() != DecisionStatus::Rejected;
    finding.changed_at_place = finding
        .place
        .text
        .filter(|_| says_fixed)
        .map(|before| text != Some(before));
    finding.place.text = text;
    change(
        finding,
        FindingChange {
            round: iteration.saturating_sub(1),
            status,
            why: why.map(str::to_owned),
            reason_code: code.cloned(),
            by: None,
            inferred: taken.inferred,
        },
    );
}

/// Properties of an item apart from its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Whether a rule or a check has confirmed it.
    pub(super) is_proved: bool,
    /// Whether a user changed the content at its place since.
    pub(super) is_rebased: bool,
    /// Whether its severity is higher than before.
    pub(super) is_graver: bool,
}

/// Records that a finding is raised at `place` in this round. Words alone are no
/// new evidence against a rejection; the last `window` rounds count.
pub(super) fn raised(
    finding: &mut Finding,
    iteration: u32,
    place: FindingPlace,
    evidence: Evidence,
    window: NonZeroU32,
) {
    if finding.raised.last() == Some(&iteration) {
        return;
    }
    let is_unchanged = finding.place.text == place.text;
    let status = match finding.status {
        FindingStatus::Rejected | FindingStatus::Disputed
            if evidence.is_proved || evidence.is_rebased =>
        {
            FindingStatus::Open
        }
        FindingStatus::Rejected | FindingStatus::Disputed => FindingStatus::Disputed,
        FindingStatus::Waived if is_unchanged && !evidence.is_graver => FindingStatus::Waived,
        FindingStatus::Fixed => {
            finding.repeats += u32::from(is_unchanged);
            FindingStatus::Open
        }
        FindingStatus::Reworded if was_rejected(finding) => FindingStatus::Disputed,
        FindingStatus::Open
        | FindingStatus::Partial
        | FindingStatus::Waived
        | FindingStatus::Reworded => FindingStatus::Open,
    };
    finding.place = place;
    finding.raised.push(iteration);
    let kept = MAX_RAISED.max(window.get() as usize);
    let old = finding.raised.len().saturating_sub(kept);
    finding.raised.drain(..old);
    if status != finding.status {
        change(finding, of_round(iteration, status));
    }
}

/// Returns whether the applier rejected a finding before it was raised in other words.
fn was_rejected(finding: &Finding) -> bool {
    let mut history = finding.history.iter().rev();
    let before = history.find(|change| change.status != FindingStatus::Reworded);
    before.is_some_and(|change| {
        matches!(
            change.status,
            FindingStatus::Rejected | FindingStatus::Disputed
        )
    })
}

/// Records that a finding that makes its round worse is raised again in other words, as `by`.
pub(super) fn reworded(finding: &mut Finding, iteration: u32, by: &FindingId) {
    if finding.status.counts() {
        let reworded = of_round(iteration, FindingStatus::Reworded);
        let why = Some(format!("raised again in other words, as {by}"));
        change(finding, FindingChange { why, ..reworded });
    }
}

/// Records that a review passed in which a finding was not raised.
pub(super) fn passed(finding: &mut Finding, iteration: u32) {
    if finding.status.counts() {
        let inferred = true;
        let fixed = of_round(iteration, FindingStatus::Fixed);
        change(finding, FindingChange { inferred, ..fixed });
    }
}

/// Records that a user changed the content at the place of a finding, and that the
/// review after that did not raise it.
pub(super) fn answered_by_user(finding: &mut Finding, iteration: u32) {
    let fixed = of_round(iteration, FindingStatus::Fixed);
    change(
        finding,
        FindingChange {
            why: Some(
                "a user changed the artifact there, and the next review did not raise it".into(),
            ),
            inferred: true,
            ..fixed
        },
    );
}

/// Records a user's decision. A waiver applies only to the content that was shown, and
/// to nothing more severe.
pub(super) fn settled(
    finding: &mut Finding,
    iteration: u32,
    decision: &FindingDecision,
    text: Option<Hash>,
) {
    let is_shown = || {
        let is_text = decision.text.is_none() || decision.text == text;
        is_text && decision.is_for(finding.severity)
    };
    let status = match (decision.counts, finding.status) {
        (true, FindingStatus::Fixed) => FindingStatus::Fixed,
        (true, _) => FindingStatus::Open,
        (false, _) if is_shown() => FindingStatus::Waived,
        (false, _) => return,
    };
    if decision.counts {
        finding.evidence = FindingEvidence::Proved;
    }
    finding.place.text = text;
    if decision.counts || status != finding.status {
        let change_of_round = of_round(iteration, status);
        change(
            finding,
            FindingChange {
                why: Some(decision.why.clone()),
                by: Some(decision.by.clone()),
                ..change_of_round
            },
        );
    }
}

/// Returns whether the last user decision on a finding says that it counts.
pub(super) fn is_upheld(finding: &Finding) -> bool {
    let mut by_users = finding.history.iter().filter(|change| change.by.is_some());
    let last = by_users.next_back();
    last.is_some_and(|last| last.status == FindingStatus::Open)
}

fn of_round(round: u32, status: FindingStatus) -> FindingChange {
    FindingChange {
        round,
        status,
        why: None,
        reason_code: None,
        by: None,
        inferred: false,
    }
}

fn change(finding: &mut Finding, change: FindingChange) {
    finding.status = change.status;
    finding.history.push(change);
    let old = finding.history.len().saturating_sub(MAX_HISTORY);
    finding.history.drain(..old);
}
