//! The document that a reviewer gave, as the document of its round.

use review::events::ReviewIteration;
use review::schema::actionable::{
    ActionableFeedback, AssessmentVerdict, Draft, Item, Items, compose,
};
use review::types::{FeedbackItem, Verdict};

use super::items;

/// The reviewer's document, if it gave one, with every value as it was given. What ralph
/// adds is listed in `derived`: the items that rules and checks found, and the
/// verdict of a round that they keep from passing.
pub(super) fn document(round: &ReviewIteration) -> Option<ActionableFeedback> {
    let given = round.document.clone()?;
    let given: ActionableFeedback = serde_json::from_value(given).ok()?;
    Some(completed(given, round))
}

fn completed(given: ActionableFeedback, round: &ReviewIteration) -> ActionableFeedback {
    let mut document = given;
    let mut all = document.feedback_items.as_slice().to_vec();
    let own = all.len();
    all.extend(added(&document, round));
    for at in own..all.len() {
        document.derived.push(format!("/feedback_items/{at}"));
    }
    if let Ok(items) = Items::new(all) {
        document.feedback_items = items;
    }
    let verdict = &mut document.overall_assessment.verdict;
    let is_overruled = round.verdict == Verdict::NeedsRevision;
    if is_overruled && *verdict == AssessmentVerdict::Accept && !is_unsure(&document) {
        document.overall_assessment.verdict = AssessmentVerdict::Refine;
        document
            .derived
            .push("/overall_assessment/verdict".to_owned());
    }
    document
}

/// Whether the document accepts with so low a confidence that a human decides.
fn is_unsure(document: &ActionableFeedback) -> bool {
    let confidence = document.overall_assessment.confidence;
    confidence.is_some_and(|sure| sure.get() < 0.5)
}

/// The items of the round that are not the reviewer's.
fn added(document: &ActionableFeedback, round: &ReviewIteration) -> Vec<Item> {
    let is_own = |said: &FeedbackItem| {
        let mut items = document.feedback_items.as_slice().iter();
        items.any(|item| {
            item.issue.as_str() == said.issue()
                && item.suggestion.action.as_str() == said.suggestion()
        })
    };
    let drafts = items::items(round).into_iter().zip(&round.feedback);
    let drafts = drafts.filter(|(_, said)| !is_own(said));
    let composed = compose(Draft {
        id: document.id.clone(),
        timestamp: document.timestamp,
        iteration: document.iteration,
        target: document.target.clone(),
        verdict: None,
        score: None,
        confidence: None,
        summary: None,
        items: drafts.map(|(draft, _)| draft).collect(),
    });
    composed.map_or_else(Vec::new, |composed| {
        composed.feedback_items.as_slice().to_vec()
    })
}
