//! The ids of areas for improvement within one session: the same finding keeps its id,
//! and no id names two findings.

use std::collections::BTreeSet;

use review::types::{FeedbackId, FeedbackItem, FeedbackItems};
use review_text::Issue;

/// Returns the items with their ids, given those of earlier responses of the session.
pub(super) fn numbered(items: &[FeedbackItem], given: &[FeedbackItem]) -> FeedbackItems {
    let known: Vec<_> = given.iter().map(|item| (item, issue(item))).collect();
    let mut used: BTreeSet<FeedbackId> = BTreeSet::new();
    let mut ids: Vec<Option<FeedbackId>> = vec![None; items.len()];
    for is_same in [says_the_same, is_about_the_same] {
        for (item, id) in items.iter().zip(&mut ids) {
            if id.is_none() {
                let own = issue(item);
                let mut known = known.iter();
                let found = known.find(|(old, issue)| {
                    let is_free = old.id().is_some_and(|id| !used.contains(id));
                    is_free && is_same((item, &own), (old, issue))
                });
                *id = found.and_then(|(old, _)| old.id().cloned());
                used.extend(id.clone());
            }
        }
    }
    let mut taken: BTreeSet<FeedbackId> =
        given.iter().filter_map(|item| item.id().cloned()).collect();
    let items = items.iter().zip(ids).enumerate();
    let items = items.map(|(at, (item, id))| {
        let id = id.or_else(|| item.id().filter(|id| !taken.contains(*id)).cloned());
        let id = id.unwrap_or_else(|| {
            let mut numbers = (at + 1)..;
            let free = numbers
                .by_ref()
                .map(|number| FeedbackId::numbered(item.section(), number))
                .find(|id| !taken.contains(id));
            free.unwrap_or_else(|| FeedbackId::numbered(item.section(), usize::MAX))
        });
        taken.insert(id.clone());
        item.clone().with_id(id)
    });
    FeedbackItems::numbered(items.collect())
}

fn issue(item: &FeedbackItem) -> Issue {
    Issue::of(item.issue())
}

type Read<'i> = (&'i FeedbackItem, &'i Issue);

fn says_the_same((item, _): Read<'_>, (old, _): Read<'_>) -> bool {
    same_section(item, old) && item.issue() == old.issue()
}

fn is_about_the_same((item, issue): Read<'_>, (old, before): Read<'_>) -> bool {
    same_section(item, old) && issue.similarity(before).is_some()
}

fn same_section(one: &FeedbackItem, other: &FeedbackItem) -> bool {
    one.section()
        .trim()
        .eq_ignore_ascii_case(other.section().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(section: &str, issue: &str) -> FeedbackItem {
        FeedbackItem::new(section, issue, "change it").unwrap()
    }

    fn ids(items: &FeedbackItems) -> Vec<&str> {
        items.iter().map(|(id, _)| id.as_str()).collect()
    }

    #[test]
    fn the_same_finding_keeps_its_id_and_another_gets_a_new_one() {
        let timeout = "The section API names no timeout for a request";
        let first = numbered(
            &[item("API", timeout), item("Goals", "No goal has a number")],
            &[],
        );
        assert_eq!(ids(&first), ["api-01", "goals-02"]);
        let given: Vec<FeedbackItem> = first.into();
        let again = "The section API still names no timeout for requests";
        let other = "Errors of the client have no codes";
        let second = numbered(
            &[
                item("Goals", "No goal has a number"),
                item("API", other),
                item("api", again),
            ],
            &given,
        );
        assert_eq!(ids(&second), ["goals-02", "api-02", "api-01"]);
    }

    #[test]
    fn an_id_of_a_reviewer_is_not_reused_for_another_finding() {
        let own = |issue| item("API", issue).with_id(FeedbackId::new("c-1").unwrap());
        let first = numbered(&[own("No budget is given for a request")], &[]);
        assert_eq!(ids(&first), ["c-1"]);
        let given: Vec<FeedbackItem> = first.into();
        let second = numbered(&[own("Errors of the client have no codes")], &given);
        assert_eq!(ids(&second), ["api-01"]);
    }
}
