mod fail_level;
mod identity;
mod quotes;

use std::ops::Deref;

use review_types::{
    Decision, DecisionStatus, FeedbackId, FeedbackItem, FeedbackItems, Finding, FindingId,
    FindingStatus, Severity, TakenDecision, Verdict,
};

use super::FileSections;
use super::matching::{ReviewedRound, RoundFindings, match_findings};
use super::{FindingDecision, Ledger};
use crate::memory::FeedbackMemory;

const LIMIT: &str = "The retry of a failed upload has no upper limit";
const LIMIT_AGAIN: &str = "There is still no maximum for retrying uploads that fail (line 42)";
const LIMIT_A_THIRD_TIME: &str = "No maximum is given for retrying a failed upload";
const COLOUR: &str = "The legend uses colours that cannot be distinguished";

/// The outcome of a round, with the finding that each of its items belongs to; `None` above
/// the limit.
#[derive(Debug)]
struct Raised {
    outcome: RoundFindings,
    findings: Vec<Option<FindingId>>,
}

impl Deref for Raised {
    type Target = RoundFindings;

    fn deref(&self) -> &RoundFindings {
        &self.outcome
    }
}

/// A loop over one file with the sections `Retry` and `Legend`.
struct Rounds {
    ledger: Ledger,
    iteration: u32,
    text: [&'static str; 2],
    decisions: Vec<TakenDecision>,
    user_decisions: Vec<FindingDecision>,
    items: FeedbackItems,
    proved: usize,
    rebased: bool,
    scores_pass: bool,
    memory: FeedbackMemory,
}

impl Rounds {
    fn new() -> Self {
        Self {
            ledger: Ledger::default(),
            iteration: 0,
            text: ["# Retry\none\n", "# Legend\ntwo\n"],
            decisions: Vec::new(),
            user_decisions: Vec::new(),
            items: FeedbackItems::default(),
            proved: 0,
            rebased: false,
            scores_pass: true,
            memory: FeedbackMemory::default(),
        }
    }

    /// Joins a round with these sections and issues.
    fn raise(&mut self, items: &[(&str, &str)]) -> Raised {
        self.join(items, false)
    }

    fn join(&mut self, items: &[(&str, &str)], passed: bool) -> Raised {
        let item = |(section, issue): &(&str, &str)| {
            FeedbackItem::new(*section, *issue, "fix it").unwrap()
        };
        self.join_items(items.iter().map(item), passed)
    }

    fn first_id(&self) -> FeedbackId {
        let (id, _) = self.items.iter().next().unwrap();
        id.clone()
    }

    fn join_items(
        &mut self,
        items: impl IntoIterator<Item = FeedbackItem>,
        passed: bool,
    ) -> Raised {
        self.iteration += 1;
        let with_id = |(at, item): (usize, FeedbackItem)| match item.id() {
            Some(_) => item,
            None => item.with_id(FeedbackId::new(format!("item-{at}")).unwrap()),
        };
        let items = items.into_iter().enumerate().map(with_id).collect();
        self.items = FeedbackItems::numbered(items);
        let [retry, legend] = self.text;
        let all = format!("{retry}{legend}");
        let sections = [
            ("Retry", 0..retry.len()),
            ("Legend", retry.len()..all.len()),
        ];
        let sections = sections.map(|(name, span)| (vec![name.to_owned()], span));
        let files = [FileSections::new("a.md", all.as_bytes().into(), sections)];
        let round = ReviewedRound {
            iteration: self.iteration,
            verdict: match passed {
                true => Verdict::Pass,
                false => Verdict::NeedsRevision,
            },
            passed,
            items: &self.items,
            decisions: &self.decisions,
            user_decisions: &self.user_decisions,
            files: &files,
            scores_pass: self.scores_pass,
            fail_level: Severity::Major,
            proved: self.proved,
            rebased: self.rebased,
            memory: &self.memory,
        };
        let (ledger, outcome) = match_findings(std::mem::take(&mut self.ledger), &round);
        self.ledger = ledger;
        self.decisions.clear();
        self.user_decisions.clear();
        let finding_of = |(id, _): (&FeedbackId, &FeedbackItem)| {
            let mut findings = self.ledger.findings().iter();
            let finding = findings.find(|finding| finding.feedback.contains(id));
            finding.map(|finding| finding.id.clone())
        };
        let findings = self.items.iter().map(finding_of).collect();
        Raised { outcome, findings }
    }

    /// Has the applier answer the first item of the round.
    fn answer(&mut self, status: DecisionStatus, inferred: bool) {
        let because = Some("because".to_owned());
        let decision = Decision::new(self.first_id(), status, None, because).unwrap();
        self.decisions.push(TakenDecision {
            inferred,
            ..TakenDecision::stated(decision)
        });
    }

    fn settle(&mut self, counts: bool) {
        let finding = self.finding();
        self.user_decisions.push(FindingDecision {
            finding: finding.id.clone(),
            counts,
            by: "ann".to_owned(),
            why: "it is so".to_owned(),
            text: finding.place.text,
            severity: None,
        });
    }

    fn finding(&self) -> &Finding {
        &self.ledger.findings()[0]
    }

    fn status(&self) -> FindingStatus {
        self.finding().status
    }
}

#[test]
fn an_item_in_the_same_words_at_the_same_place_joins_its_finding() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
    let again = rounds.raise(&[("the retry section", LIMIT)]);
    assert_eq!(again.findings[0], first.findings[0]);
    assert_ne!(first.findings[0], first.findings[1]);
    assert_eq!(rounds.ledger.findings().len(), 2);
    let finding = rounds.finding();
    assert_eq!(finding.raised, [1, 2]);
    assert_eq!(finding.issue, LIMIT);
    assert_eq!(finding.section, "the retry section");
    assert_eq!(finding.suggestion, "fix it");
    assert_eq!(rounds.ledger.counts().severity.values().sum::<u32>(), 2);
}

#[test]
fn an_item_in_other_words_is_a_new_finding_that_is_raised_again() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
    let again = rounds.raise(&[("the retry section", LIMIT_AGAIN)]);
    assert_eq!((again.unproved, again.closed), (0, 1));
    let [limit, colour, reworded] = rounds.ledger.findings() else {
        panic!("{:?}", rounds.ledger)
    };
    assert_eq!(reworded.similar_to, first.findings[0]);
    assert_eq!(reworded.raised, [1, 2]);
    assert_eq!(
        (reworded.issue.as_str(), reworded.status),
        (LIMIT_AGAIN, FindingStatus::Open)
    );
    assert_eq!(
        (limit.status, limit.similar_to.as_ref()),
        (FindingStatus::Reworded, None)
    );
    let why = limit.history.last().unwrap().why.as_deref().unwrap();
    assert_eq!(
        why,
        format!("raised again in other words, as {}", reworded.id)
    );
    assert_eq!(colour.status, FindingStatus::Open);
    assert_eq!(rounds.ledger.counts().severity.values().sum::<u32>(), 2);
}

#[test]
fn wordings_that_alternate_close_nothing() {
    let mut rounds = Rounds::new();
    let wordings = [LIMIT, LIMIT_AGAIN, LIMIT, LIMIT_AGAIN, LIMIT];
    for (before, issue) in wordings.into_iter().enumerate() {
        let raised = rounds.raise(&[("Retry", issue)]);
        let is_last = rounds.ledger.findings().iter().filter(|one| one.counts());
        let counting: Vec<_> = is_last
            .map(|one| (one.issue.as_str(), one.raised.len()))
            .collect();
        assert_eq!(counting, [(issue, before + 1)]);
        assert_eq!((raised.closed, raised.blocking.len()), (0, 1), "{issue}");
    }
}

#[test]
fn the_same_words_about_other_words_of_the_artifact_are_another_finding() {
    let quoting = |quote: &str| {
        let item = FeedbackItem::new("Retry", "This is not testable", "name a test").unwrap();
        [item.with_quote(quote.to_owned())]
    };
    let (first, other) = (
        "one upload is tried again until it works",
        "two uploads are never tried at the same time",
    );
    for (quote, is_covered) in [
        (first, true),
        (other, false),
        ("nowhere to be found at all", true),
    ] {
        let mut rounds = Rounds::new();
        rounds.text = [
            "# Retry\none upload is tried again until it works\n\
             two uploads are never tried at the same time\n",
            "# Legend\ntwo\n",
        ];
        rounds.join_items(quoting(first), false);
        rounds.settle(false);
        let raised = rounds.join_items(quoting(quote), false);
        assert_eq!(raised.blocking.is_empty(), is_covered, "{quote}");
    }
}

#[test]
fn no_decision_on_a_finding_covers_one_in_other_words() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.answer(DecisionStatus::Rejected, false);
    let second = rounds.raise(&[("Retry", LIMIT_AGAIN)]);
    assert_eq!(
        (second.blocking.as_slice(), second.settled),
        (&[0][..], false)
    );
    assert_eq!((second.disputed.len(), second.repeated.len()), (0, 0));
    assert_eq!(rounds.ledger.not_for_appliers(true).count(), 0);
    assert_eq!(rounds.ledger.decided_before(&rounds.first_id()), None);
    rounds.answer(DecisionStatus::Rejected, false);
    let third = rounds.raise(&[("Retry", LIMIT_A_THIRD_TIME)]);
    let statuses = rounds
        .ledger
        .findings()
        .iter()
        .map(|finding| finding.status);
    assert_eq!(
        statuses.collect::<Vec<_>>(),
        [
            FindingStatus::Reworded,
            FindingStatus::Reworded,
            FindingStatus::Open
        ]
    );
    // Three rounds about one issue that the applier rejects: a user decides.
    assert_eq!(third.disputed.len(), 1);
    assert_eq!(third.disputed, third.repeated);
    let back = rounds.raise(&[("Retry", LIMIT)]);
    let findings = rounds.ledger.findings().iter();
    let last: Vec<_> = findings.map(|one| (one.status, one.raised.len())).collect();
    let reworded = FindingStatus::Reworded;
    assert_eq!(
        last,
        [(FindingStatus::Disputed, 4), (reworded, 2), (reworded, 3)]
    );
    assert_eq!(back.disputed, [rounds.finding().id.clone()]);
}

#[test]
fn the_same_issue_at_another_place_is_another_finding() {
    let mut rounds = Rounds::new();
    let raised = rounds.raise(&[("Retry", LIMIT), ("Legend", LIMIT)]);
    assert_ne!(raised.findings[0], raised.findings[1]);
    assert_eq!(raised.blocking, [0, 1]);
}

#[test]
fn a_finding_is_recognized_by_its_file_and_lines_and_keeps_its_place() {
    let mut rounds = Rounds::new();
    let first = rounds.raise(&[("Retry", LIMIT)]);
    for section in ["a.md", "a.md:2"] {
        let again = rounds.raise(&[(section, LIMIT)]);
        assert_eq!(again.findings, first.findings, "{section}");
        assert_eq!(rounds.finding().place.headings, ["Retry"]);
    }
    let lines = rounds.finding().place.lines.unwrap();
    assert_eq!((lines.first, lines.last), (2, 2));
    rounds.raise(&[("a.md", LIMIT)]);
    let lines = rounds.finding().place.lines.unwrap();
    assert_eq!((lines.first, lines.last), (1, 2));
}

#[test]
fn a_path_matches_a_file_better_than_its_name() {
    let file = |path| FileSections::new(path, b"one\n".as_slice().into(), []);
    let (far, near) = (file("docs/a.md"), file("a.md"));
    for (named, expected) in [
        ("see docs/a.md", (2, 2)),
        ("see a.md", (1, 2)),
        ("see b.md", (0, 0)),
    ] {
        assert_eq!((far.naming(named), near.naming(named)), expected, "{named}");
    }
}

#[test]
fn an_out_of_scope_item_neither_counts_nor_blocks_nor_is_disputed() {
    let mut rounds = Rounds::new();
    let outside: &[_] = &[("src/upload.rs:7", LIMIT)];
    let first = rounds.raise(outside);
    assert_eq!(first.blocking, [0; 0]);
    assert_eq!(rounds.ledger.counts().severity.values().sum::<u32>(), 0);
    assert_eq!(rounds.status(), FindingStatus::Open);
    let id = rounds.first_id();
    let spared: Vec<_> = rounds.ledger.not_for_appliers(false).collect();
    assert_eq!(spared, [&id]);
    rounds.answer(DecisionStatus::Rejected, false);
    assert_eq!(rounds.raise(outside).disputed, []);
    rounds.answer(DecisionStatus::Rejected, false);
    let third = rounds.raise(outside);
    assert_eq!(rounds.status(), FindingStatus::Disputed);
    assert_eq!((third.disputed.len(), third.repeated.len()), (0, 1));
    let other = rounds.raise(&[("Retry", LIMIT)]);
    assert_ne!(other.findings, first.findings);
}

#[test]
fn an_id_is_the_same_across_runs() {
    let id = |issue| Rounds::new().raise(&[("Retry", issue)]).findings[0].clone();
    assert_eq!(id(LIMIT), id(LIMIT));
    let same = "The retry of a failed  upload has no upper limit.";
    assert_eq!(id(LIMIT), id(same));
    for (one, other) in [
        (LIMIT, COLOUR),
        (LIMIT, LIMIT_AGAIN),
        ("FR-1 is vague", "FR-2 is vague"),
        ("12", "13"),
        ("!", "?"),
        ("x < 5", "x > 5"),
    ] {
        assert_ne!(id(one), id(other), "{one} | {other}");
    }
    let known = "f-1a0f5f3ab6f4";
    assert_eq!(id(LIMIT).unwrap().as_str().len(), known.len());
}

#[test]
fn two_equal_items_are_one_finding() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", "12"), ("Retry", "12"), ("Retry", "13")]);
    let raised: Vec<_> = rounds
        .ledger
        .findings()
        .iter()
        .map(|one| &one.raised[..])
        .collect();
    assert_eq!(raised, [[1], [1]]);
}

#[test]
fn the_status_of_a_finding_follows_the_applier() {
    use DecisionStatus::{Accepted, Partial, Rejected};
    for (status, inferred, expected) in [
        (Accepted, false, FindingStatus::Fixed),
        (Accepted, true, FindingStatus::Fixed),
        (Partial, false, FindingStatus::Partial),
        (Rejected, false, FindingStatus::Rejected),
        (Rejected, true, FindingStatus::Open),
    ] {
        let mut rounds = Rounds::new();
        rounds.raise(&[("Retry", LIMIT)]);
        rounds.answer(status, inferred);
        rounds.raise(&[("Legend", COLOUR)]);
        assert_eq!(rounds.status(), expected, "{status} {inferred}");
        let change = rounds.finding().history.last().unwrap();
        assert_eq!((change.round, change.inferred), (1, inferred));
        assert_eq!(change.why.as_deref(), Some("because"));
    }
}

#[test]
fn a_claim_of_a_fix_is_held_against_the_text_at_the_place() {
    use DecisionStatus::{Accepted, Partial, Rejected};
    for (status, retry, expected) in [
        (Accepted, "# Retry\none\n", Some(false)),
        (Partial, "# Retry\none\n", Some(false)),
        (Rejected, "# Retry\none\n", None),
        (Accepted, "# Retry\nthree times\n", Some(true)),
        (Accepted, "# Again\none\n", Some(true)),
    ] {
        let mut rounds = Rounds::new();
        rounds.raise(&[("Retry", LIMIT)]);
        rounds.text = [retry, "# Legend\nthree\n"];
        rounds.answer(status, false);
        rounds.raise(&[]);
        assert_eq!(
            rounds.finding().changed_at_place,
            expected,
            "{status} {retry}"
        );
    }
}

#[test]
fn an_answer_to_another_item_changes_nothing() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.answer(DecisionStatus::Accepted, false);
    let other = FeedbackId::new("other").unwrap();
    rounds.decisions[0] = rounds.decisions[0].clone().on(other);
    rounds.raise(&[]);
    assert_eq!(rounds.status(), FindingStatus::Open);
}

#[test]
fn a_fixed_finding_that_comes_back_is_a_repeat_unless_its_text_changed_since() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.text[0] = "# Retry\nthree times\n";
    rounds.answer(DecisionStatus::Accepted, false);
    rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(
        (rounds.status(), rounds.finding().repeats),
        (FindingStatus::Open, 1)
    );
    rounds.answer(DecisionStatus::Accepted, false);
    rounds.raise(&[]);
    rounds.text[0] = "# Retry\nfive times\n";
    rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(
        (rounds.status(), rounds.finding().repeats),
        (FindingStatus::Open, 1)
    );
}

#[test]
fn a_finding_in_three_of_five_rounds_is_repeated() {
    let mut rounds = Rounds::new();
    let limit: &[_] = &[("Retry", LIMIT)];
    let named: Vec<_> = [limit, &[], limit, &[], limit, &[], limit]
        .into_iter()
        .map(|items| rounds.raise(items).repeated.len())
        .collect();
    assert_eq!(named, [0, 0, 0, 0, 1, 0, 1]);
    let mut rare = Rounds::new();
    let named: Vec<_> = [limit, &[], &[], limit, &[], limit]
        .into_iter()
        .map(|items| rare.raise(items).repeated.len())
        .collect();
    assert_eq!(named, [0; 6]);
    let count = |count| std::num::NonZeroU32::new(count).unwrap();
    let mut quick = Rounds::new();
    quick.memory.window = count(2);
    quick.memory.threshold = count(2);
    let named: Vec<_> = [limit, &[], limit, limit]
        .into_iter()
        .map(|items| quick.raise(items).repeated.len())
        .collect();
    assert_eq!(named, [0, 0, 0, 1]);
}

#[test]
fn a_finding_that_a_user_waived_is_not_reported_as_repeated() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(false);
    assert_eq!(rounds.raise(&[("Retry", LIMIT)]).repeated, []);
    rounds.settle(true);
    let again = rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(again.repeated, [rounds.finding().id.clone()]);
}

#[test]
fn a_rejected_finding_that_comes_back_is_disputed_and_escalates_at_the_third_time() {
    let mut rounds = Rounds::new();
    assert_eq!(rounds.raise(&[("Retry", LIMIT)]).blocking, [0]);
    rounds.answer(DecisionStatus::Rejected, false);
    let second = rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
    assert_eq!(rounds.status(), FindingStatus::Disputed);
    assert_eq!(second.blocking, [1]);
    assert_eq!(second.disputed, []);
    assert_eq!(rounds.ledger.counts().severity.values().sum::<u32>(), 2);
    rounds.answer(DecisionStatus::Accepted, false);
    let third = rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(third.disputed, [rounds.finding().id.clone()]);
    assert_eq!(
        rounds.status(),
        FindingStatus::Disputed,
        "only a user settles it"
    );
}

#[test]
fn a_waiver_applies_until_the_text_changes() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(false);
    let waived = rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(rounds.status(), FindingStatus::Waived);
    assert_eq!(waived.blocking, [0; 0]);
    assert_eq!(rounds.ledger.counts().severity.values().sum::<u32>(), 0);
    let change = rounds.finding().history.last().unwrap();
    assert_eq!(change.by.as_deref(), Some("ann"));
    assert_eq!(change.why.as_deref(), Some("it is so"));
    rounds.answer(DecisionStatus::Rejected, false);
    assert_eq!(rounds.raise(&[("Retry", LIMIT)]).blocking, [0; 0]);
    rounds.text[0] = "# Retry\nnever\n";
    assert_eq!(rounds.raise(&[("Retry", LIMIT)]).blocking, [0]);
    assert_eq!(rounds.status(), FindingStatus::Open);
}

#[test]
fn the_user_who_waived_is_named_when_everything_raised_is_waived() {
    let mut rounds = Rounds::new();
    let both = [("Retry", LIMIT), ("Legend", COLOUR)];
    assert_eq!(rounds.raise(&both).waived_by, [""; 0]);
    rounds.settle(false);
    assert_eq!(rounds.raise(&both).waived_by, [""; 0]);
    assert_eq!(rounds.raise(&both[..1]).waived_by, ["ann"]);
    assert_eq!(rounds.raise(&[]).waived_by, [""; 0]);
}

#[test]
fn a_waiver_for_another_text_has_no_effect() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(false);
    rounds.text[0] = "# Retry\nnever\n";
    rounds.raise(&[]);
    assert_eq!(rounds.status(), FindingStatus::Open);
    rounds.settle(false);
    rounds.user_decisions[0].text = None;
    rounds.raise(&[]);
    assert_eq!(rounds.status(), FindingStatus::Waived);
}

#[test]
fn a_disputed_finding_that_is_upheld_is_open_again() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.answer(DecisionStatus::Rejected, false);
    rounds.raise(&[("Retry", LIMIT)]);
    rounds.settle(true);
    let upheld = rounds.raise(&[("Retry", LIMIT)]);
    assert_eq!(rounds.status(), FindingStatus::Open);
    assert_eq!(
        (upheld.outcome.blocking, upheld.outcome.disputed),
        (vec![0], Vec::<FindingId>::new())
    );
    rounds.answer(DecisionStatus::Accepted, false);
    rounds.settle(true);
    rounds.raise(&[]);
    assert_eq!(rounds.status(), FindingStatus::Fixed);
}

#[test]
fn a_pass_closes_open_findings() {
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
    rounds.settle(false);
    rounds.join(&[], true);
    let statuses: Vec<_> = rounds
        .ledger
        .findings()
        .iter()
        .map(|one| one.status)
        .collect();
    assert_eq!(statuses, [FindingStatus::Waived, FindingStatus::Fixed]);
    let change = rounds.ledger.findings()[1].history.last().unwrap();
    assert_eq!((change.round, change.inferred), (2, true));
}

#[test]
fn a_ledger_is_bounded() {
    let mut rounds = Rounds::new();
    let issues: Vec<_> = (0..2_050).map(|n| n.to_string()).collect();
    let items: Vec<_> = issues
        .iter()
        .map(|issue| ("Retry", issue.as_str()))
        .collect();
    let raised = rounds.raise(&items);
    assert_eq!(rounds.ledger.findings().len(), 2_048);
    assert_eq!(
        raised.findings[2_047..],
        [raised.findings[2_047].clone(), None, None]
    );
    assert_eq!(raised.blocking.len(), 2_050);
    for _ in 0..40 {
        rounds.answer(DecisionStatus::Accepted, false);
        rounds.raise(&[("Retry", "0")]);
    }
    assert_eq!(rounds.finding().raised.len(), 16);
    assert_eq!(rounds.finding().history.len(), 32);
    rounds.memory.window = std::num::NonZeroU32::new(20).unwrap();
    for _ in 0..40 {
        rounds.raise(&[("Retry", "0")]);
    }
    assert_eq!(rounds.finding().raised.len(), 20);
    let long = "x".repeat(5_000);
    let mut rounds = Rounds::new();
    rounds.raise(&[("Retry", &long)]);
    assert_eq!(rounds.finding().issue.len(), 2_048);
}

#[test]
fn the_severity_of_a_finding_is_the_highest_of_its_items_or_else_that_of_its_verdict() {
    use Severity::{Critical, Major, Minor, Suggestion};
    let item = |said: Option<Severity>| {
        let item = FeedbackItem::new("Retry", LIMIT, "fix it").unwrap();
        match said {
            Some(severity) => item.with_severity(severity),
            None => item,
        }
    };
    let mut rounds = Rounds::new();
    for (said, expected) in [
        (&[None][..], Major),
        (&[Some(Minor)], Minor),
        (&[None, None], Major),
        (&[Some(Minor), Some(Critical), Some(Suggestion)], Critical),
        (&[Some(Suggestion)], Suggestion),
    ] {
        rounds.join_items(said.iter().copied().map(item), false);
        assert_eq!(rounds.finding().severity, expected, "{said:?}");
    }
    for (said, expected) in [(None, Minor), (Some(Critical), Critical)] {
        let mut passed = Rounds::new();
        passed.join_items([item(said)], true);
        assert_eq!(passed.finding().severity, expected);
    }
}

#[test]
fn a_failing_check_is_new_evidence_for_a_rejected_finding() {
    for (is_tested, expected) in [
        (true, FindingStatus::Open),
        (false, FindingStatus::Disputed),
    ] {
        let mut rounds = Rounds::new();
        rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
        rounds.answer(DecisionStatus::Rejected, false);
        rounds.proved = usize::from(is_tested);
        rounds.raise(&[("Retry", LIMIT), ("Legend", COLOUR)]);
        assert_eq!(rounds.status(), expected, "{is_tested}");
    }
}
