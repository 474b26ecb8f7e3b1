//! An item of feedback with what is known of its finding.

use review_events::FindingsJoined;
use review_types::{
    FeedbackItem, FeedbackItems, Finding, FindingEvidence, FindingId, FindingPlace,
};
use serde::Serialize;

/// An item of feedback with what is known of its finding.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "RaisedItem")]
pub struct ItemReport {
    /// The item, as its reviewer gave it.
    #[serde(flatten)]
    pub item: FeedbackItem,
    /// Its finding; left out where findings are not followed.
    #[serde(flatten)]
    pub raised: Option<RaisedFinding>,
}

/// What is known of the finding of an item, after its round.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct RaisedFinding {
    /// The id of the finding.
    pub finding: FindingId,
    /// What shows that it is about the artifact.
    pub evidence: FindingEvidence,
    /// Whether an earlier round raised it.
    pub known: bool,
    /// Its place in the artifact.
    pub place: FindingPlace,
}

impl ItemReport {
    pub(super) fn new(item: &FeedbackItem) -> Self {
        Self {
            item: item.clone(),
            raised: None,
        }
    }
}

/// Takes in the findings of the round of these items, as many as the event holds.
pub(super) fn join(items: &mut [ItemReport], joined: &FindingsJoined) {
    let said = items.iter().map(|item| item.item.clone()).collect();
    let numbered = FeedbackItems::numbered(said);
    for (item, (id, _)) in items.iter_mut().zip(numbered.iter()) {
        let is_raised = |finding: &&Finding| {
            finding.raised.last() == Some(&joined.iteration) && finding.feedback.contains(id)
        };
        let finding = joined.findings.iter().find(is_raised);
        item.raised = finding.map(|finding| RaisedFinding {
            finding: finding.id.clone(),
            evidence: finding.evidence,
            known: finding.raised.len() > 1,
            place: finding.place.clone(),
        });
    }
}
