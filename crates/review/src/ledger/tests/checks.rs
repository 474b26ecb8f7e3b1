//! The checks that items name as proof.

use review_types::Severity::{Critical, Major, Minor};
use review_types::{Confirmation, FindingCheck, FindingEvidence, Lines, NamedCheck};

use super::*;
use crate::check::{NamedOutcome, RuleReport};
use crate::ledger::{again_result, place_now, places, result, unraised};

fn unit() -> NamedCheck {
    NamedCheck::Check("unit".to_owned())
}

fn check(result: Confirmation, warns: bool) -> FindingCheck {
    FindingCheck {
        named: unit(),
        result,
        warns,
        message: "1 test fails".to_owned(),
    }
}

/// The results of a check of the item at a position.
fn of_item(position: usize, result: Confirmation) -> CheckResults {
    CheckResults {
        items: [(position, check(result, false))].into(),
        ..CheckResults::default()
    }
}

/// The results of the check that confirmed the first finding.
fn of_finding(rounds: &Rounds, result: Confirmation) -> CheckResults {
    CheckResults {
        findings: [(rounds.finding().id.clone(), check(result, false))].into(),
        ..CheckResults::default()
    }
}

fn minor(section: &str, issue: &str) -> FeedbackItem {
    let item = FeedbackItem::new(section, issue, "fix it").unwrap();
    item.with_severity(Minor).with_check(unit())
}

/// Joins a round in which a check confirms the second of two minor items.
fn confirmed() -> (Rounds, JoinOutcome) {
    let mut rounds = Rounds::new();
    rounds.checks = of_item(0, Confirmation::Confirmed);
    let joined = rounds.join_items([minor("Retry", LIMIT), minor("Legend", COLOUR)], false);
    rounds.checks = CheckResults::default();
    (rounds, joined)
}

#[test]
fn only_the_item_whose_check_fails_is_proved_and_it_is_at_least_major() {
    for position in [0, 1] {
        let mut rounds = Rounds::new();
        rounds.checks = of_item(position, Confirmation::Confirmed);
        let joined = rounds.join_items([minor("Retry", LIMIT), minor("Legend", COLOUR)], false);
        let findings = rounds.ledger.findings().iter();
        let findings: Vec<_> = findings
            .map(|finding| (finding.is_proved(), finding.severity))
            .collect();
        let mut expected = [(false, Minor); 2];
        expected[position] = (true, Major);
        assert_eq!(findings, expected);
        assert_eq!((joined.blocking, joined.unproved), (vec![position], 0));
        let shown = &rounds.ledger.findings()[position].check;
        assert_eq!(*shown, Some(check(Confirmation::Confirmed, false)));
    }
}

#[test]
fn a_check_that_passes_or_is_not_run_proves_nothing_and_is_shown() {
    for said in [Confirmation::NotConfirmed, Confirmation::NotRun] {
        let mut rounds = Rounds::new();
        rounds.checks = of_item(0, said);
        let joined = rounds.join_items([minor("Retry", LIMIT)], false);
        assert_eq!(
            (joined.blocking.len(), rounds.finding().is_proved()),
            (0, false)
        );
        assert_eq!(rounds.finding().check, Some(check(said, false)));
        assert_eq!(rounds.ledger.confirmed().count(), 0);
    }
}

#[test]
fn a_rule_that_only_warns_leaves_the_severity() {
    for (severity, blocks) in [(Minor, 0), (Critical, 1)] {
        let mut rounds = Rounds::new();
        rounds.checks.items = [(0, check(Confirmation::Confirmed, true))].into();
        let item = minor("Retry", LIMIT).with_severity(severity);
        let joined = rounds.join_items([item], false);
        let finding = rounds.finding();
        assert_eq!((finding.is_proved(), finding.severity), (true, severity));
        assert_eq!(joined.blocking.len(), blocks);
    }
}

#[test]
fn a_confirmed_finding_is_not_closed_by_what_the_applier_says() {
    for status in [DecisionStatus::Accepted, DecisionStatus::Rejected] {
        let (mut rounds, _) = confirmed();
        rounds.answer(status, false);
        rounds.checks = of_finding(&rounds, Confirmation::Confirmed);
        rounds.checks.items = [(0, check(Confirmation::Confirmed, false))].into();
        let joined = rounds.join_items([minor("Retry", LIMIT)], false);
        assert_eq!((joined.blocking, joined.unproved), (vec![0], 0));
        assert_eq!(rounds.status(), FindingStatus::Open);
    }
}

#[test]
fn a_confirmed_finding_is_closed_once_its_check_passes() {
    for passed in [true, false] {
        let (mut rounds, _) = confirmed();
        rounds.checks = of_finding(&rounds, Confirmation::NotConfirmed);
        rounds.join_items([], passed);
        let finding = rounds.finding();
        assert_eq!(finding.status, FindingStatus::Fixed);
        assert_eq!(finding.evidence, FindingEvidence::Unquoted);
        let why = finding.history.last().and_then(|change| change.why.clone());
        assert_eq!(why.as_deref(), Some("1 test fails"));
        assert_eq!(rounds.ledger.confirmed().count(), 0);
    }
}

#[test]
fn a_finding_that_is_raised_though_its_check_passes_is_open_and_unproved() {
    let (mut rounds, _) = confirmed();
    rounds.checks = of_finding(&rounds, Confirmation::NotConfirmed);
    let joined = rounds.join_items([minor("Retry", LIMIT)], false);
    assert_eq!(
        (joined.blocking.len(), rounds.finding().is_proved()),
        (0, false)
    );
    assert_eq!(rounds.status(), FindingStatus::Open);
}

#[test]
fn a_finding_that_a_user_upheld_stays_proved_when_its_check_passes() {
    let (mut rounds, _) = confirmed();
    rounds.settle(true);
    rounds.checks = of_finding(&rounds, Confirmation::NotConfirmed);
    rounds.join_items([minor("Retry", LIMIT)], false);
    rounds.checks = CheckResults::default();
    let joined = rounds.join_items([minor("Retry", LIMIT)], false);
    assert_eq!(
        (joined.blocking.len(), rounds.finding().is_proved()),
        (1, true)
    );
}

#[test]
fn a_waived_finding_is_neither_checked_nor_raised_again() {
    let (mut rounds, _) = confirmed();
    rounds.settle(false);
    rounds.checks = of_finding(&rounds, Confirmation::Confirmed);
    let joined = rounds.join_items([minor("Retry", LIMIT)], false);
    assert_eq!(joined.blocking, Vec::<usize>::new());
    assert_eq!(rounds.status(), FindingStatus::Waived);
    assert_eq!(rounds.ledger.confirmed().count(), 0);
}

#[test]
fn a_result_from_before_a_waiver_counts_no_more_when_the_text_changes() {
    let (mut rounds, _) = confirmed();
    rounds.settle(false);
    rounds.checks = of_finding(&rounds, Confirmation::Confirmed);
    rounds.join_items([minor("Retry", LIMIT)], false);
    rounds.checks = CheckResults::default();
    rounds.text[0] = "# Retry\nother\n";
    let joined = rounds.join_items([minor("Retry", LIMIT)], false);
    let finding = rounds.finding();
    assert_eq!(
        (finding.status, finding.is_proved()),
        (FindingStatus::Open, false)
    );
    assert_eq!((joined.blocking.len(), &finding.check), (0, &None));
}

#[test]
fn what_a_review_does_not_raise_is_raised_again_while_its_check_fails() {
    let (rounds, joined) = confirmed();
    let results = of_finding(&rounds, Confirmation::Confirmed);
    assert_eq!(unraised(&rounds.ledger, &joined.findings, &results), []);
    let [(item, check)] = &unraised(&rounds.ledger, &[], &results)[..] else {
        panic!("one finding");
    };
    assert!(item.says_the_same(&minor("Retry", LIMIT)));
    assert_eq!(
        (item.check(), item.severity()),
        (Some(&unit()), Some(Major))
    );
    assert!(check.confirms());
    let passed = of_finding(&rounds, Confirmation::NotConfirmed);
    assert_eq!(unraised(&rounds.ledger, &[], &passed), []);
}

#[test]
fn a_check_that_cannot_be_run_again_closes_nothing() {
    let before = check(Confirmation::Confirmed, false);
    let now = FindingCheck {
        message: "there is no task 3".to_owned(),
        ..check(Confirmation::NotRun, false)
    };
    let kept = again_result(Some(&before), now.clone());
    assert!(kept.confirms());
    assert_eq!(
        kept.message,
        "it could not be run again: there is no task 3"
    );
    assert_eq!(again_result(None, now.clone()), now);
    let passes = check(Confirmation::NotConfirmed, false);
    assert_eq!(again_result(Some(&before), passes.clone()), passes);
}

#[test]
fn a_rule_confirms_what_is_in_the_section_it_reports_in() {
    let text = "front\n# Retry\none\n# Legend\ntwo\n";
    let sections = [("Retry", 6..18), ("Legend", 18..31)];
    let sections = sections.map(|(name, span)| (vec![name.to_owned()], span));
    let files = [FileSections::new("a.md", text.as_bytes().into(), sections)];
    let named = NamedCheck::Rule("B3".to_owned());
    let report = |line, warns| RuleReport {
        path: "a.md".to_owned(),
        lines: Lines {
            first: line,
            last: line,
        },
        warns,
        message: "nothing is run".to_owned(),
    };
    let outcome = NamedOutcome::Reports(vec![report(2, true), report(3, false)]);
    let said = |section: &str| {
        let item = FeedbackItem::new(section, "i", "s").unwrap();
        let place = places(&[item], &files).pop();
        result(&named, &outcome, place.as_ref(), &files)
    };
    let there = said("Retry");
    assert_eq!(
        (there.result, there.warns),
        (Confirmation::Confirmed, false)
    );
    assert_eq!(there.message, "a.md:3: nothing is run");
    assert!(said("a.md").confirms(), "a whole file contains its lines");
    let elsewhere = said("Legend");
    assert_eq!(elsewhere.result, Confirmation::NotConfirmed);
    assert_eq!(elsewhere.message, "rule B3 reports nothing there");
    let gone = result(&named, &outcome, None, &files);
    assert_eq!(gone.result, Confirmation::NotConfirmed);
}

#[test]
fn a_finding_is_looked_for_where_its_section_is_now() {
    let (rounds, _) = confirmed();
    let text = "new\n# Retry\none\n";
    let sections = [(vec!["Retry".to_owned()], 4..text.len())];
    let files = [FileSections::new("a.md", text.as_bytes().into(), sections)];
    let place = place_now(rounds.finding(), &files).unwrap();
    assert_eq!(place.lines, Some(Lines { first: 2, last: 3 }));
    assert_eq!(place_now(rounds.finding(), &[]), None);
}
