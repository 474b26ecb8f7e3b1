//! The items of a round, with their ids and what was decided on them.

use std::collections::{BTreeMap, BTreeSet};

use review_types::afp::{Areas, Decisions, PastItem};
use review_types::{Review, ReviewFeedback};

use super::load::{load_json, load_review};
use super::op::PastReview;
use crate::engine::{MissingText, Texts};
use crate::feedback::Besides;
use crate::ledger::Ledger;
use crate::people::guidance;

/// What an applier is asked for, with the ids of the items. Those of the round
/// have the same ids whatever it is asked for besides; those that do not count
/// by the ledger are left out.
pub(crate) fn items_of(
    texts: &Texts,
    past: &PastReview,
    besides: &Besides,
) -> Result<Areas, MissingText> {
    items_of_review(texts, &load_review(texts, &past.review)?, past, besides)
}

/// Like [`items_of`] with the review of the round.
pub(crate) fn items_of_review(
    texts: &Texts,
    review: &Review,
    past: &PastReview,
    besides: &Besides,
) -> Result<Areas, MissingText> {
    let given = past.areas.map(|hash| load_json(texts, &hash)).transpose()?;
    let said = besides.people.map(|hash| load_json(texts, &hash));
    let guidance = guidance(said.transpose()?.unwrap_or_default());
    let items = besides.with(review.feedback(), &guidance);
    let items = Areas::of(&items, &given.unwrap_or_default());
    let ledger: Option<Ledger> = past
        .ledger
        .map(|hash| load_json(texts, &hash))
        .transpose()?;
    let settled: BTreeSet<_> = ledger.iter().flat_map(Ledger::not_for_appliers).collect();
    let mut areas = Vec::from(items);
    areas.retain(|area| !settled.contains(area.id()));
    Areas::new(areas).map_err(|error| MissingText::Damaged {
        hash: past.review,
        message: error.to_string(),
    })
}

/// Items with what was decided on each.
pub(crate) fn past_items(items: &Areas, decisions: &Decisions) -> Vec<PastItem> {
    let decisions = decisions.as_slice().iter();
    let by_id: BTreeMap<_, _> = decisions
        .map(|taken| (taken.decision.id(), taken))
        .collect();
    let past = items.as_slice().iter().map(|area| PastItem {
        item: area.item(),
        decision: by_id.get(area.id()).copied().cloned(),
    });
    past.collect()
}

/// Bytes of the texts of an item.
pub(crate) fn size(item: &ReviewFeedback) -> usize {
    item.section().len() + item.issue().len() + item.suggestion().len()
}
