//! The items of a document, from the events of a run: what supports them, their
//! order.

use review::events::{CheckReport, ReviewIteration};
use review::schema::actionable::{
    ActionableFeedback, Aspect, DraftItem, Evidence, Priority, aspect_of,
};
use review::types::{FeedbackItem, Severity, Verdict};
use review_lint::Rule;

/// The items of a round: a rule of the embedded reviewer that found one, and the
/// score that it names, support it. Nothing that was accepted is
/// critical.
pub(super) fn items(round: &ReviewIteration) -> Vec<DraftItem> {
    let usual = Severity::of(round.verdict);
    let feedback = round.feedback.iter();
    let mut items: Vec<_> = feedback
        .map(|item| {
            let rule = rule_of(item.issue());
            let severity = item.severity().map(|said| match round.verdict {
                Verdict::Pass => said.max(usual),
                Verdict::NeedsRevision => said,
            });
            let details = item.details().cloned().unwrap_or_default();
            DraftItem {
                place: item.section().to_owned(),
                issue: item.issue().to_owned(),
                action: item.suggestion().to_owned(),
                rationale: details.rationale,
                example: details.example,
                priority: details.priority.and_then(|rank| Priority::new(rank.into())),
                severity,
                evidence: details.evidence.or_else(|| evidence(item, rule, round)),
                ..DraftItem::default()
            }
        })
        .collect();
    rank(&mut items, usual);
    items
}

/// Lists the values of a composed document that are derived from scores, the order of
/// severities, rules and checks.
pub(super) fn list_derived(document: &mut ActionableFeedback, said: &[FeedbackItem]) {
    let score = "/overall_assessment/score";
    let mut derived = Vec::new();
    if !document.derived.iter().any(|one| one == score) {
        derived.push(score.to_owned());
    }
    let items = document.feedback_items.as_slice().iter().zip(said);
    for (at, (item, said)) in items.enumerate() {
        let details = said.details();
        let own_priority = details.and_then(|details| details.priority);
        if item.suggestion.priority.is_some() && own_priority.is_none() {
            derived.push(format!("/feedback_items/{at}/suggestion/priority"));
        }
        let own_evidence = details.and_then(|details| details.evidence.as_ref());
        if item.evidence.is_some() && own_evidence.is_none() {
            derived.push(format!("/feedback_items/{at}/evidence"));
        }
    }
    document.derived.extend(derived);
}

/// The rule whose code a string ends with in brackets.
fn rule_of(issue: &str) -> Option<Rule> {
    let (_, code) = issue.strip_suffix(']')?.rsplit_once('[')?;
    code.parse().ok()
}

fn evidence(item: &FeedbackItem, rule: Option<Rule>, round: &ReviewIteration) -> Option<Evidence> {
    let scores = &round.scores;
    let check = round.check.as_ref();
    let check = check.filter(|check| check.item().is_some_and(|one| one.says_the_same(item)));
    let criterion = criterion_of(aspect_of(item.section()));
    let score = criterion.and_then(|criterion| Some((criterion, scores.get(criterion)?)));
    let evidence = Evidence {
        test_result: check.map(test_result),
        metric: score.map(|(criterion, score)| format!("{criterion} {score} of 100")),
        reference: rule.map(|rule| rule.code().to_owned()),
    };
    (evidence != Evidence::default()).then_some(evidence)
}

/// The end of what a check that failed printed, or why it failed where it printed
/// nothing.
fn test_result(check: &CheckReport) -> String {
    match (check.output.trim().is_empty(), &check.failure) {
        (true, Some(failure)) => failure.clone(),
        (true, None) | (false, _) => check.output.clone(),
    }
}

/// The criterion that scores an aspect.
fn criterion_of(aspect: Aspect) -> Option<&'static str> {
    match aspect {
        Aspect::Completeness => Some("completeness"),
        Aspect::Consistency => Some("consistency"),
        Aspect::Testability => Some("testability"),
        Aspect::Maintainability => Some("architecture"),
        Aspect::Correctness
        | Aspect::Clarity
        | Aspect::Efficiency
        | Aspect::Security
        | Aspect::Style
        | Aspect::Documentation => None,
    }
}

/// Numbers the items by severity, those of one severity as they come; from the
/// tenth on all come last.
fn rank(items: &mut [DraftItem], usual: Severity) {
    let mut order: Vec<_> = (0..items.len()).collect();
    order.sort_by_key(|at| items[*at].severity.unwrap_or(usual));
    for (at, rank) in order.into_iter().zip(1..=u32::MAX) {
        let ranked = || Priority::new(rank).or(Some(Priority::LAST));
        items[at].priority = items[at].priority.or_else(ranked);
    }
}

#[cfg(test)]
mod tests {
    use review::types::{CriterionName, Score};

    use super::*;

    fn said(section: &str, issue: &str) -> FeedbackItem {
        FeedbackItem::new(section, issue, "fix it").unwrap()
    }

    fn round(verdict: Verdict, issues: &[&str]) -> ReviewIteration {
        let score = |name: &str, score| {
            let name = CriterionName::new(name).unwrap();
            (name, Score::new(score).unwrap())
        };
        let scores = [score("completeness", 60), score("architecture", 80)];
        ReviewIteration {
            iteration: 1,
            verdict,
            scores: scores.into_iter().collect(),
            feedback: issues.iter().map(|issue| said("Goal", issue)).collect(),
            deductions: Vec::new(),
            document: None,
            truncated: false,
            artifact: None,
            check: None,
            left_unread: None,
            remarks: Vec::new(),
        }
    }

    /// A round whose second item has this severity.
    fn graded(verdict: Verdict, severity: Severity) -> ReviewIteration {
        let mut round = round(verdict, &ISSUES);
        let second = round.feedback[1].clone();
        round.feedback[1] = second.with_severity(severity);
        round
    }

    const ISSUES: [&str; 4] = [
        "the zebra has stripes",
        "the limit is missing tasks/a.md:3 [B1]",
        "modules are coupled",
        "a test is odd [none]",
    ];

    #[test]
    fn rules_and_scores_support_items() {
        let mut round = graded(Verdict::NeedsRevision, Severity::Critical);
        let second = said("completeness", ISSUES[1]);
        round.feedback[1] = second.with_severity(Severity::Critical);
        round.feedback[2] = said("architecture", ISSUES[2]);
        let items = items(&round);
        let told: Vec<_> = items
            .iter()
            .map(|item| {
                let evidence = item.evidence.clone().unwrap_or_default();
                (evidence.metric, evidence.reference, item.severity)
            })
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                (None, None, None),
                (
                    text("completeness 60 of 100"),
                    text("B1"),
                    Some(Severity::Critical)
                ),
                (text("architecture 80 of 100"), None, None),
                (None, None, None),
            ]
        );
    }

    #[test]
    fn a_failing_check_is_the_test_result_of_its_item_alone() {
        for (output, expected) in [
            ("1 of 9 failed\n", "1 of 9 failed\n"),
            ("\n", "exit status 2"),
        ] {
            let mut round = round(Verdict::NeedsRevision, &ISSUES[..1]);
            let check = CheckReport {
                command: "make check".to_owned(),
                failure: Some("exit status 2".to_owned()),
                output: output.to_owned(),
            };
            round.feedback.push(check.item().unwrap());
            round.check = Some(check);
            let results = items(&round).into_iter();
            let results: Vec<_> = results
                .map(|item| item.evidence.and_then(|evidence| evidence.test_result))
                .collect();
            assert_eq!(results, [None, Some(expected.to_owned())]);
        }
    }

    #[test]
    fn the_gravest_items_come_first() {
        let ranks = |verdict, severity| -> Vec<_> {
            let items = items(&graded(verdict, severity)).into_iter();
            items.map(|item| item.priority.unwrap().get()).collect()
        };
        let revision = Verdict::NeedsRevision;
        assert_eq!(ranks(revision, Severity::Critical), [2, 1, 3, 4]);
        assert_eq!(ranks(revision, Severity::Suggestion), [1, 4, 2, 3]);
        assert_eq!(ranks(Verdict::Pass, Severity::Critical), [1, 2, 3, 4]);
        assert_eq!(ranks(Verdict::Pass, Severity::Suggestion), [1, 4, 2, 3]);
        let many = items(&round(revision, &["x"; 12]));
        let last: Vec<_> = many[8..]
            .iter()
            .map(|item| item.priority.unwrap().get())
            .collect();
        assert_eq!(last, [9, 10, 10, 10]);
    }

    #[test]
    fn nothing_that_was_accepted_is_critical() {
        let second = |verdict, severity| items(&graded(verdict, severity))[1].severity;
        for severity in Severity::ALL {
            let said = second(Verdict::NeedsRevision, *severity);
            assert_eq!(said, Some(*severity));
            let accepted = second(Verdict::Pass, *severity);
            assert_eq!(accepted, Some(*severity.max(&Severity::Minor)));
        }
    }
}
