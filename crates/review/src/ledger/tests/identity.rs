//! Which finding an item belongs to, and what a waiver covers.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const FR: [&str; 3] = [
    "FR-1 has no acceptance criterion",
    "FR-2 has no acceptance criterion",
    "FR-3 has no acceptance criterion",
];

fn item((section, issue, suggestion): (&str, &str, &str)) -> FeedbackItem {
    FeedbackItem::new(section, issue, suggestion).unwrap()
}

fn ids(raised: &Raised) -> Vec<&FindingId> {
    raised.findings.iter().flatten().collect()
}

#[test]
fn findings_that_differ_in_a_name_are_not_similar() {
    let mut rounds = Rounds::new();
    rounds.raise(&FR.map(|issue| ("Retry", issue)));
    rounds.raise(&[
        ("Retry", "No acceptance criterion is given for FR-3"),
        ("Retry", "There are still no acceptance criteria for FR-1"),
    ]);
    let findings = rounds.ledger.findings();
    let of = |at: usize| &findings[at].id;
    let similar: Vec<_> = findings.iter().map(|one| one.similar_to.as_ref()).collect();
    assert_eq!(similar, [None, None, None, Some(of(2)), Some(of(0))]);
}

#[test]
fn items_of_one_answer_are_one_finding_only_if_they_are_equal() {
    let one = ("Retry", LIMIT, "fix it");
    for (other, findings) in [
        (one, 1),
        (("Retry", LIMIT, "cap it"), 2),
        (("the retry section", LIMIT, "fix it"), 2),
        (("Retry", LIMIT_AGAIN, "fix it"), 2),
        (("Legend", LIMIT, "fix it"), 2),
    ] {
        for items in [[one, other], [other, one]] {
            let mut rounds = Rounds::new();
            let raised = rounds.join_items(items.map(item), false);
            assert_eq!(rounds.ledger.findings().len(), findings, "{other:?}");
            assert_eq!(BTreeSet::from_iter(ids(&raised)).len(), findings);
            assert_eq!(
                rounds.join_items(items.map(item), false).findings,
                raised.findings
            );
        }
    }
}

#[test]
fn an_item_takes_the_most_similar_finding() {
    let known = [
        ("Retry", LIMIT, "cap it"),
        ("Retry", LIMIT, "fix it"),
        ("Retry", LIMIT_AGAIN, "fix it"),
        ("a.md", LIMIT, "fix it"),
    ];
    for (raised, expected) in [
        (known[0], 0),
        (known[1], 1),
        (known[2], 2),
        (known[3], 3),
        (("Retry", LIMIT, "count it"), 0),
        (("the retry section", LIMIT, "fix it"), 1),
    ] {
        let mut rounds = Rounds::new();
        let first = rounds.join_items(known.map(item), false);
        let again = rounds.join_items([item(raised)], false);
        assert_eq!(ids(&again), [ids(&first)[expected]], "{raised:?}");
    }
}

#[test]
fn a_finding_is_similar_to_one_item_of_an_answer_the_nearest() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT)]);
    let far = "The retry has no limit";
    for items in [[far, LIMIT_A_THIRD_TIME], [LIMIT_A_THIRD_TIME, far]] {
        let mut rounds = Rounds {
            ledger: rounds.ledger.clone(),
            ..Rounds::new()
        };
        rounds.iteration = 1;
        rounds.raise(&items.map(|issue| ("Retry", issue)));
        let findings = rounds.ledger.findings();
        let mut similar = findings.iter().filter(|one| one.similar_to.is_some());
        let nearest = similar.next().unwrap();
        assert_eq!(
            (&nearest.similar_to, nearest.issue.as_str()),
            (&first.findings[0], LIMIT_A_THIRD_TIME)
        );
        assert_eq!((similar.next(), findings.len()), (None, 3));
    }
}

#[test]
fn a_waiver_covers_what_was_shown_and_nothing_else() {
    let shown = ("Retry", LIMIT);
    for (raised, covered) in [
        (shown, true),
        (("the retry section", LIMIT), true),
        (
            ("Retry", "The retry of a  failed upload has no upper limit."),
            true,
        ),
        (("Retry", LIMIT_AGAIN), false),
        (
            ("Retry", "The retry of a failed download has no upper limit"),
            false,
        ),
        (
            ("Retry", "The retry of a failed upload has no lower limit"),
            false,
        ),
        (("a.md", LIMIT), false),
        (("a.md:2", LIMIT), false),
    ] {
        // Whether it is waived before this round, and whether it was waived in
        // the previous one.
        for (waives, is_known) in [(true, false), (false, true), (true, true)] {
            let mut rounds = Rounds::new();
            rounds.raise(&[shown]);
            if is_known {
                rounds.settle(false);
                rounds.raise(&[shown]);
                assert_eq!(rounds.status(), FindingStatus::Waived);
            }
            if waives {
                rounds.settle(false);
            }
            let again = rounds.raise(&[raised]);
            let expected: &[_] = if covered { &["ann"] } else { &[] };
            assert_eq!(again.waived_by, expected, "{raised:?} {waives} {is_known}");
            assert_eq!(again.blocking.is_empty(), covered, "{raised:?}");
        }
        let mut other_run = Rounds::new();
        other_run.raise(&[shown]);
        other_run.settle(false);
        other_run.ledger = Ledger::default();
        let again = other_run.raise(&[raised]);
        assert_eq!(again.waived_by.is_empty(), !covered, "{raised:?}");
    }
}

#[test]
fn an_item_that_names_a_finding_joins_it_in_equal_or_similar_words() {
    for (names, section, issue, joins) in [
        (true, "Retry", LIMIT, true),
        (true, "Retry", LIMIT_A_THIRD_TIME, true),
        (true, "Legend", LIMIT_A_THIRD_TIME, true),
        (true, "Retry", COLOUR, false),
        (
            true,
            "Retry",
            "The retry of a failed upload has no limit of 3",
            false,
        ),
        (false, "Retry", LIMIT_A_THIRD_TIME, false),
    ] {
        for waives in [false, true] {
            let mut rounds = Rounds::new();
            let first = rounds.raise(&[("Retry", LIMIT)]);
            if waives {
                rounds.settle(false);
            }
            let mut raised = item((section, issue, "cap it"));
            if names {
                let id = FeedbackId::new(rounds.finding().id.as_str()).unwrap();
                raised = raised.with_id(id);
            }
            let again = rounds.join_items([raised], false);
            let case = format!("{names} {section} {issue} {waives}");
            assert_eq!(again.findings == first.findings, joins, "{case}");
            assert_eq!(again.blocking.is_empty(), joins && waives, "{case}");
        }
    }
}

#[test]
fn what_is_similar_to_a_waived_finding_is_open_and_says_so() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(false);
    let again = rounds.raise(&[("Retry", LIMIT_A_THIRD_TIME)]);
    assert_eq!((&*again.blocking, &*again.waived_by), (&[0][..], &[][..]));
    let [waived, open] = rounds.ledger.findings() else {
        panic!("{again:?}");
    };
    assert_eq!(waived.status, FindingStatus::Waived);
    assert_eq!(open.status, FindingStatus::Open);
    assert_eq!(open.similar_to, first.findings[0]);
    assert_eq!(open.raised, [1, 2]);
}

#[test]
fn a_waiver_of_one_of_three_findings_does_not_pass_the_artifact() {
    let items = FR.map(|issue| ("Retry", issue));
    let mut rounds = Rounds::new();
    rounds.raise(&items);
    rounds.settle(false);
    for items in [&items[..], &items[1..], &items[2..]] {
        let raised = rounds.raise(items);
        assert_eq!(raised.waived_by, [""; 0]);
        assert!(!raised.blocking.is_empty());
    }
    assert_eq!(rounds.raise(&items[..1]).waived_by, ["ann"]);
}

#[test]
fn of_two_items_with_the_waived_words_one_is_covered() {
    let mut rounds = Rounds::new();
    rounds.join_items([item(("Retry", LIMIT, "fix it"))], false);
    rounds.settle(false);
    let both = [("Retry", LIMIT, "cap it"), ("Retry", LIMIT, "fix it")];
    let raised = rounds.join_items(both.map(item), false);
    assert_eq!(raised.blocking, [0]);
    assert!(raised.waived_by.is_empty());
    let mut other_run = Rounds::new();
    other_run.join_items(both.map(item), false);
    let ids: BTreeSet<_> = other_run
        .ledger
        .findings()
        .iter()
        .map(|one| &one.id)
        .collect();
    assert!(
        !ids.contains(&rounds.finding().id),
        "neither is what was shown"
    );
}

#[test]
fn a_waived_line_is_different_from_another_line() {
    let issue = "The unit is missing";
    for (raised, covered) in [("a.md:2", true), ("a.md:1", false)] {
        let mut rounds = Rounds::new();
        rounds.raise(&[("a.md:2", issue)]);
        rounds.settle(false);
        assert_eq!(
            rounds.raise(&[(raised, issue)]).blocking.is_empty(),
            covered
        );
    }
}

#[test]
fn a_withdrawn_waiver_or_one_for_another_text_holds_no_item_back() {
    for (counts, is_said_again) in [(true, true), (false, true), (false, false)] {
        let mut rounds = Rounds::new();
        let first = rounds.raise(&[("Retry", LIMIT)]);
        rounds.settle(false);
        rounds.raise(&[("Retry", LIMIT)]);
        if is_said_again {
            rounds.settle(counts);
        }
        if !counts {
            rounds.text[0] = "# Retry\nnever\n";
        }
        let again = rounds.raise(&[("Retry", LIMIT)]);
        assert_eq!(again.findings, first.findings);
        assert_eq!(
            (rounds.status(), again.outcome.blocking),
            (FindingStatus::Open, vec![0])
        );
    }
}

#[test]
fn a_waiver_without_a_text_does_not_cover_other_words() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(false);
    rounds.user_decisions[0].text = None;
    let again = rounds.raise(&[("Retry", LIMIT_AGAIN)]);
    assert_ne!(again.findings, first.findings);
    assert_eq!(again.blocking, [0]);
}

#[test]
fn a_similar_finding_at_the_place_of_an_item_goes_before_a_nearer_one_around_it() {
    let mut rounds = Rounds::new();
    let far = "The retry has no limit";
    let first = rounds.raise(&[("a.md", LIMIT), ("Retry", far)]);
    rounds.raise(&[("Retry", "The retry of a failed upload has no limit at all")]);
    let last = rounds.ledger.findings().last().unwrap();
    assert_eq!(last.similar_to, first.findings[1]);
}

#[test]
fn a_thousand_items_in_nearly_the_same_words_stay_different() {
    let items: Vec<_> = (0..1_000)
        .map(|at| {
            (
                format!("{at} {LIMIT}"),
                format!("Requirement {at}: {LIMIT}"),
            )
        })
        .collect();
    let items = |of: fn(&(String, String)) -> &String| {
        items
            .iter()
            .map(move |item| ("Retry", of(item).as_str()))
            .collect::<Vec<_>>()
    };
    let mut rounds = Rounds::new();
    rounds.raise(&items(|item| &item.0));
    rounds.raise(&items(|item| &item.1));
    let (first, again) = rounds.ledger.findings().split_at(1_000);
    assert_eq!(again.len(), 1_000);
    for (first, again) in first.iter().zip(again) {
        assert_eq!(again.similar_to.as_ref(), Some(&first.id));
    }
}

/// Generates items in few words, so that many are alike.
fn some_items() -> impl Strategy<Value = Vec<FeedbackItem>> {
    let section = prop::sample::select(&["Retry", "Legend", "the retry section", "a.md", "a.md:2"]);
    let issue = prop::sample::select(&[LIMIT, LIMIT_AGAIN, COLOUR, FR[0], FR[1], "12"]);
    let suggestion = prop::sample::select(&["fix it", "cap it"]);
    let items = (section, issue, suggestion).prop_map(item);
    prop::collection::vec(items, 1..8)
}

/// Returns the ids of the findings of the items, by what they say.
fn by_item(rounds: &Rounds, raised: &Raised) -> BTreeMap<[String; 3], FindingId> {
    let said =
        |item: &FeedbackItem| [item.section(), item.issue(), item.suggestion()].map(str::to_owned);
    let items = rounds.items.iter().map(|(_, item)| said(item));
    let found = raised.findings.iter().flatten().cloned();
    items.zip(found).collect()
}

proptest! {
    #[test]
    fn the_order_of_items_changes_no_finding_and_no_two_share_one(
        (items, shuffled) in some_items().prop_flat_map(|items| {
            (Just(items.clone()), Just(items).prop_shuffle())
        }),
        (again, shuffled_again) in some_items().prop_flat_map(|items| {
            (Just(items.clone()), Just(items).prop_shuffle())
        }),
        waives in any::<bool>(),
    ) {
        let mut rounds = Rounds::new();
        let mut other = Rounds::new();
        let raised = rounds.join_items(items, false);
        let raised_in_other = other.join_items(shuffled, false);
        prop_assert_eq!(by_item(&rounds, &raised), by_item(&other, &raised_in_other));
        if waives {
            rounds.settle(false);
            other.user_decisions.clone_from(&rounds.user_decisions);
        }
        // The findings are in the order in which they were raised.
        other.ledger = rounds.ledger.clone();
        let raised = rounds.join_items(again, false);
        let raised_in_other = other.join_items(shuffled_again, false);
        let found = by_item(&rounds, &raised);
        prop_assert_eq!(&found, &by_item(&other, &raised_in_other));
        let distinct: BTreeSet<_> = found.values().collect();
        prop_assert_eq!(distinct.len(), found.len());
        let ids: BTreeSet<_> = rounds.ledger.findings().iter().map(|one| &one.id).collect();
        prop_assert_eq!(ids.len(), rounds.ledger.findings().len());
    }
}
