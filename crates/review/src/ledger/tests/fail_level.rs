//! Which findings of a round block, and what is open again after a user's edit.

use review_types::Severity::{self, Critical, Major, Minor, Suggestion};

use super::*;

const EDGE: &str = "The size of an upload has no bound";

fn of_severity(issue: &str, severity: Severity) -> FeedbackItem {
    let item = FeedbackItem::new("Retry", issue, "say which").unwrap();
    item.with_severity(severity)
}

/// Joins a revision that raises these issues in the section `Retry`.
fn raise(rounds: &mut Rounds, items: &[(&str, Severity)]) -> Raised {
    let items = items.iter();
    let items: Vec<_> = items
        .map(|(issue, severity)| of_severity(issue, *severity))
        .collect();
    rounds.join_items(items, false)
}

fn below(rounds: &Rounds) -> Vec<bool> {
    let findings = rounds.ledger.findings().iter();
    findings.map(|finding| finding.below_fail_level).collect()
}

#[test]
fn findings_below_the_fail_level_do_not_block() {
    let mut rounds = Rounds::new();
    let raised = raise(
        &mut rounds,
        &[(LIMIT, Critical), (COLOUR, Major), (EDGE, Minor)],
    );
    assert_eq!(raised.blocking, [0, 1]);
    assert_eq!(raised.below_fail_level, 1);
    assert_eq!(below(&rounds), [false, false, true]);
    let left_out = |only| rounds.ledger.not_for_appliers(only).count();
    assert_eq!((left_out(false), left_out(true)), (0, 1));
    let raised = raise(&mut rounds, &[(EDGE, Suggestion)]);
    assert!(raised.blocking.is_empty());
}

#[test]
fn a_revision_by_scores_alone_makes_every_item_block() {
    let mut rounds = Rounds::new();
    rounds.scores_pass = false;
    let raised = raise(&mut rounds, &[(LIMIT, Minor), (COLOUR, Suggestion)]);
    assert_eq!(
        (&*raised.blocking, raised.below_fail_level),
        (&[0, 1][..], 0)
    );
    let raised = raise(&mut rounds, &[(LIMIT, Minor), (COLOUR, Major)]);
    assert_eq!(raised.blocking, [1], "one reaches the fail level");
}

#[test]
fn an_item_above_the_limit_of_the_ledger_keeps_the_others_below_the_fail_level() {
    for (count, below_fail_level) in [(2_048, 0), (2_049, 2_048)] {
        let mut rounds = Rounds::new();
        rounds.scores_pass = false;
        let issues: Vec<_> = (0..count).map(|n| n.to_string()).collect();
        let items: Vec<_> = issues.iter().map(|issue| (issue.as_str(), Minor)).collect();
        let raised = raise(&mut rounds, &items);
        assert_eq!(raised.below_fail_level, below_fail_level, "{count}");
        let blocking = raised.blocking.len();
        assert_eq!(blocking, count - below_fail_level as usize, "{count}");
    }
}

#[test]
fn only_new_findings_without_proof_are_unproved() {
    let mut rounds = Rounds::new();
    rounds.proved = 1;
    let raised = raise(&mut rounds, &[(LIMIT, Critical), (COLOUR, Major)]);
    assert_eq!((raised.blocking.len(), raised.unproved), (2, 1));
    rounds.proved = 0;
    let raised = raise(&mut rounds, &[(LIMIT, Major), (COLOUR, Major)]);
    assert_eq!(raised.unproved, 0, "both are known");
    let raised = raise(&mut rounds, &[(EDGE, Major), (COLOUR, Minor)]);
    assert_eq!((raised.blocking.len(), raised.unproved), (1, 1));
}

#[test]
fn a_finding_that_no_longer_blocks_is_closed() {
    let mut rounds = Rounds::new();
    assert_eq!(
        raise(&mut rounds, &[(LIMIT, Major), (COLOUR, Major)]).closed,
        0
    );
    assert_eq!(
        raise(&mut rounds, &[(LIMIT, Major), (COLOUR, Major)]).closed,
        0
    );
    assert_eq!(
        raise(&mut rounds, &[(LIMIT, Minor), (COLOUR, Major)]).closed,
        1
    );
    assert_eq!(raise(&mut rounds, &[(EDGE, Major)]).closed, 1);
    assert_eq!(raise(&mut rounds, &[(EDGE, Major)]).closed, 0);
}

#[test]
fn a_finding_that_a_user_upholds_is_proved_and_at_least_major() {
    let mut rounds = Rounds::new();
    raise(&mut rounds, &[(LIMIT, Minor)]);
    assert!(rounds.finding().below_fail_level);
    rounds.settle(true);
    let raised = raise(&mut rounds, &[(LIMIT, Minor)]);
    let finding = rounds.finding();
    assert_eq!((finding.is_proved(), finding.severity), (true, Major));
    assert_eq!((raised.blocking.len(), raised.unproved), (1, 0));
}

#[test]
fn a_finding_whose_text_a_user_changed_is_judged_again() {
    for (is_rebased, is_raised, expected) in [
        (true, true, FindingStatus::Open),
        (true, false, FindingStatus::Fixed),
        (false, true, FindingStatus::Disputed),
        (false, false, FindingStatus::Rejected),
    ] {
        let mut rounds = Rounds::new();
        raise(&mut rounds, &[(LIMIT, Major)]);
        rounds.answer(DecisionStatus::Rejected, false);
        rounds.text[0] = "# Retry\nanother\n";
        rounds.rebased = is_rebased;
        let again = if is_raised { LIMIT } else { COLOUR };
        raise(&mut rounds, &[(again, Major)]);
        let status = rounds.ledger.findings()[0].status;
        assert_eq!(status, expected, "{is_rebased} {is_raised}");
    }
}

#[test]
fn a_users_edit_elsewhere_leaves_a_finding_as_it_was() {
    let mut rounds = Rounds::new();
    raise(&mut rounds, &[(LIMIT, Major)]);
    rounds.text[1] = "# Legend\nanother\n";
    rounds.rebased = true;
    raise(&mut rounds, &[(COLOUR, Major)]);
    assert_eq!(rounds.ledger.findings()[0].status, FindingStatus::Open);
}

#[test]
fn a_waiver_covers_nothing_more_severe_than_what_was_shown() {
    for (said, expected) in [
        (Minor, FindingStatus::Waived),
        (Suggestion, FindingStatus::Waived),
        (Critical, FindingStatus::Open),
    ] {
        let mut rounds = Rounds::new();
        raise(&mut rounds, &[(LIMIT, Minor)]);
        rounds.settle(false);
        let waiver = rounds.user_decisions[0].clone();
        rounds.user_decisions[0].severity = Some(Minor);
        raise(&mut rounds, &[(LIMIT, Minor)]);
        assert_eq!(rounds.status(), FindingStatus::Waived);
        rounds.user_decisions.push(FindingDecision {
            severity: Some(Minor),
            ..waiver
        });
        raise(&mut rounds, &[(LIMIT, said)]);
        assert_eq!(rounds.status(), expected, "{said}");
    }
}

#[test]
fn a_pass_does_not_close_what_a_user_upheld_unless_its_text_changed() {
    for (is_changed, expected) in [(false, FindingStatus::Open), (true, FindingStatus::Fixed)] {
        let mut rounds = Rounds::new();
        raise(&mut rounds, &[(LIMIT, Major)]);
        rounds.settle(true);
        raise(&mut rounds, &[(LIMIT, Major)]);
        let history = &rounds.finding().history;
        assert_eq!(history.last().unwrap().by.as_deref(), Some("ann"));
        if is_changed {
            rounds.text[0] = "# Retry\nanother\n";
        }
        let raised = rounds.join(&[], true);
        assert_eq!(rounds.status(), expected, "{is_changed}");
        assert_eq!(raised.upheld.is_empty(), is_changed);
    }
}

#[test]
fn a_proved_finding_stays_proved() {
    let mut rounds = Rounds::new();
    rounds.proved = 1;
    raise(&mut rounds, &[(LIMIT, Critical)]);
    rounds.proved = 0;
    raise(&mut rounds, &[(LIMIT, Major)]);
    assert!(rounds.finding().is_proved());
}

#[test]
fn an_out_of_scope_item_does_not_keep_the_rest_from_being_below_the_fail_level() {
    let mut rounds = Rounds::new();
    let elsewhere = FeedbackItem::new("other.md", COLOUR, "x").unwrap();
    let elsewhere = elsewhere.with_severity(Critical);
    let raised = rounds.join_items([of_severity(LIMIT, Minor), elsewhere], false);
    assert!(raised.blocking.is_empty());
}
