//! The items of a round, with their ids and decisions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use review_types::{Decisions, FeedbackItem, FeedbackItems, ItemDetails, PastItem, Review};

use super::load::load_comments;
use super::op::PastReview;
use crate::feedback::ExtraItems;
use crate::ledger::Ledger;
use crate::people::guidance;
use review_flow::{ContentStore, MissingContent};

/// Returns the items for an applier with their ids. Items of the round keep their
/// ids whatever extras there are; those that do not count by the ledger are left
/// out.
pub(crate) fn items_of(
    texts: &ContentStore,
    past: &PastReview,
    extras: &ExtraItems,
) -> Result<FeedbackItems, MissingContent> {
    let review: Arc<Review> = texts.value(&past.review)?;
    items_of_review(texts, &review, past, extras)
}

/// Like [`items_of`], with the review of the round.
pub(crate) fn items_of_review(
    texts: &ContentStore,
    review: &Review,
    past: &PastReview,
    extras: &ExtraItems,
) -> Result<FeedbackItems, MissingContent> {
    let guidance = guidance(&load_comments(texts, extras.comments)?);
    let items = extras.with(review.feedback(), &guidance);
    let items = FeedbackItems::numbered(items);
    let ledger: Option<Arc<Ledger>> = past.ledger.map(|hash| texts.value(&hash)).transpose()?;
    let only = extras.blocking_only;
    let settled = ledger
        .iter()
        .flat_map(|ledger| ledger.not_for_appliers(only));
    let settled: BTreeSet<_> = settled.collect();
    Ok(items.retained(|id| !settled.contains(id)))
}

/// Pairs items with the decision on each.
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

/// Returns the total length in bytes of the strings of an item.
pub(crate) fn size(item: &FeedbackItem) -> usize {
    let details = item.details().map_or(0, ItemDetails::size);
    item.section().len() + item.issue().len() + item.suggestion().len() + details
}
