//! The items of a round, with their ids and what was decided on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use review_types::{Decisions, FeedbackItem, FeedbackItems, PastItem, Review};

use super::load::load_said;
use super::op::PastReview;
use crate::feedback::Besides;
use crate::ledger::Ledger;
use crate::people::guidance;
use review_flow::{ContentStore, MissingText};

/// What an applier is asked for, with the ids of the items. Those of the round
/// have the same ids whatever it is asked for besides; those that do not count
/// by the ledger are left out.
pub(crate) fn items_of(
    texts: &ContentStore,
    past: &PastReview,
    besides: &Besides,
) -> Result<FeedbackItems, MissingText> {
    let review: Arc<Review> = texts.value(&past.review)?;
    items_of_review(texts, &review, past, besides)
}

/// Like [`items_of`] with the review of the round.
pub(crate) fn items_of_review(
    texts: &ContentStore,
    review: &Review,
    past: &PastReview,
    besides: &Besides,
) -> Result<FeedbackItems, MissingText> {
    let guidance = guidance(&load_said(texts, besides.people)?);
    let items = besides.with(review.feedback(), &guidance);
    let items = FeedbackItems::numbered(items);
    let ledger: Option<Arc<Ledger>> = past.ledger.map(|hash| texts.value(&hash)).transpose()?;
    let only = besides.blocking_only;
    let settled = ledger
        .iter()
        .flat_map(|ledger| ledger.not_for_appliers(only));
    let settled: BTreeSet<_> = settled.collect();
    Ok(items.retained(|id| !settled.contains(id)))
}

/// Items with what was decided on each.
pub(crate) fn past_items(items: &FeedbackItems, decisions: &Decisions) -> Vec<PastItem> {
    let decisions = decisions.as_slice().iter();
    let by_id: BTreeMap<_, _> = decisions
        .map(|taken| (taken.decision.id(), taken))
        .collect();
    let past = items.iter().map(|(id, item)| PastItem {
        item: item.clone(),
        decision: by_id.get(id).copied().cloned(),
    });
    past.collect()
}

/// Bytes of the texts of an item.
pub(crate) fn size(item: &FeedbackItem) -> usize {
    item.section().len() + item.issue().len() + item.suggestion().len()
}
