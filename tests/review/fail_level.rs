//! Limits on further rounds: severities, and new findings without proof.

use std::num::NonZeroU32;
use std::sync::Arc;

use review::config::{Convergence, LoopConfig};
use review::types::Severity::{self, Critical, Major, Minor};
use review::types::{BlockCode, FeedbackItem, FinalVerdict, Review, Verdict};
use review::{ApplyRequest, Fact, ReviewRequest};

use crate::looped::{Ended, SPEC, converging, first_artifact, looped_with, report};
use crate::support::{
    MockApplier, MockFactFinder, MockReviewer, answer, applied, item, reviewed, scores,
};

/// The findings of a reviewer in a round: numbers, each with its severity.
type Round = Vec<(u32, Severity)>;

/// Returns the numbers from one on, in one severity.
fn findings(numbers: std::ops::Range<u32>, severity: Severity) -> Round {
    numbers.map(|number| (number, severity)).collect()
}

/// Returns rounds with this many new findings each.
fn new(counts: &[u32], severity: Severity) -> Vec<Round> {
    let mut next = 0;
    let round = |count: &u32| {
        let first = next;
        next += count;
        findings(first..next, severity)
    };
    counts.iter().map(round).collect()
}

/// The source of the findings of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// A reviewer, in words.
    Words,
    /// A rule.
    Rule,
}

fn issue(number: u32) -> String {
    format!("`REQ-{number}` has no acceptance criterion")
}

/// Returns a reviewer that raises these items with one score, and passes without an item.
fn reviewer(
    said: impl Fn(&ReviewRequest) -> (Vec<FeedbackItem>, i64) + Send + 'static,
) -> MockReviewer {
    let mut mock = MockReviewer::new();
    mock.expect_review().returning(move |request| {
        let (items, score) = said(&request);
        let verdict = match items.is_empty() {
            true => Verdict::Pass,
            false => Verdict::NeedsRevision,
        };
        let review = Review::new(verdict, scores([score; 4]), items).unwrap();
        Ok(reviewed(review))
    });
    mock
}

/// Replays a trace with an applier that changes something each time and reports that
/// everything is fixed; after its rounds the reviewer passes.
fn play(config: &LoopConfig, rounds: Vec<Round>, by: By) -> Ended {
    let artifact = first_artifact();
    let rounds = Arc::new(rounds);
    let raised = |rounds: &[Round], iteration: usize| -> Vec<_> {
        let round = rounds.get(iteration - 1).cloned().unwrap_or_default();
        let raised = round.into_iter().map(|(number, severity)| {
            item("Animals", &issue(number), "write one").with_severity(severity)
        });
        raised.collect()
    };
    let said = Arc::clone(&rounds);
    let reviewer = reviewer(move |request| match by {
        By::Words => (raised(&said, request.iteration as usize), 80),
        By::Rule => (Vec::new(), 80),
    });
    let mut applier = MockApplier::new();
    let written = Arc::clone(&artifact);
    applier
        .expect_apply()
        .returning(move |request: ApplyRequest| {
            written.write(SPEC, format!("after round {}", request.iteration));
            Ok(applied(report(&request, |_| Some("accepted"))))
        });
    let mut facts = MockFactFinder::new();
    let iteration = std::sync::atomic::AtomicUsize::new(0);
    facts.expect_facts().returning(move || {
        let iteration = 1 + iteration.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let found = match by {
            By::Words => Vec::new(),
            By::Rule => raised(&rounds, iteration),
        };
        let found = found.into_iter().map(|item| Fact { item, blocks: true });
        Ok(found.collect())
    });
    looped_with(config, &artifact, reviewer, applier, &|_| {}, Some(&facts))
}

/// Returns the loop of the command line: ten rounds, and every default.
fn usual() -> LoopConfig {
    LoopConfig {
        convergence: Some(Convergence::default()),
        ..converging(3)
    }
}

const PASS: Option<BlockCode> = None;
const THRESHOLD: Option<BlockCode> = Some(BlockCode::NoBlockingFinding);
const BUDGET: Option<BlockCode> = Some(BlockCode::UnprovedFindings);
const LIMIT: Option<BlockCode> = Some(BlockCode::MaxIterations);

#[test]
fn recorded_loops_end_where_a_user_should_decide() {
    let minor_from = |first_minor: usize| -> Vec<Round> {
        let rounds = new(&[4, 5, 4, 5, 4, 4, 5, 4, 4, 5], Major)
            .into_iter()
            .enumerate();
        let lower = |(at, round): (usize, Round)| match at < first_minor {
            true => round,
            false => round
                .into_iter()
                .map(|(number, _)| (number, Minor))
                .collect(),
        };
        rounds.map(lower).collect()
    };
    let shrinking = [8, 5, 3, 1].map(|left| findings(0..left, Major)).to_vec();
    let wavering = [0..8, 6..8, 6..9, 7..9, 8..9]
        .map(|range| findings(range, Major))
        .to_vec();
    let mut recurring = new(&[3; 27], Major);
    for round in recurring.iter_mut().skip(1) {
        round[2] = (2, Major);
    }
    let mut late = new(&[5, 4, 3, 2], Major);
    late.extend([Vec::new(), Vec::new(), Vec::new(), vec![(99, Critical)]]);
    let second_run = [
        6, 3, 3, 3, 7, 6, 5, 2, 5, 3, 3, 1, 1, 1, 1, 2, 3, 7, 2, 3, 4,
    ];
    let traces = [
        (
            "27 reviews, new findings each, unproved",
            new(&[3; 27], Major),
            By::Words,
            6,
            BUDGET,
        ),
        (
            "27 reviews, every finding proved",
            new(&[3; 27], Critical),
            By::Rule,
            10,
            LIMIT,
        ),
        (
            "its second run",
            new(&second_run, Major),
            By::Words,
            6,
            BUDGET,
        ),
        (
            "65 fixes, none severe, read as minor",
            new(&[2; 65], Minor),
            By::Words,
            2,
            THRESHOLD,
        ),
        (
            "65 fixes, none severe, read as major",
            new(&[2; 65], Major),
            By::Words,
            6,
            BUDGET,
        ),
        (
            "12 rounds, low by its own rubric",
            new(&[4; 12], Minor),
            By::Words,
            2,
            THRESHOLD,
        ),
        (
            "12 rounds, as labelled",
            new(&[4; 12], Major),
            By::Words,
            6,
            BUDGET,
        ),
        (
            "10 rounds, wording from the fifth on",
            minor_from(4),
            By::Words,
            6,
            THRESHOLD,
        ),
        (
            "10 rounds, as labelled",
            minor_from(10),
            By::Words,
            6,
            BUDGET,
        ),
        (
            "a shrinking set of known findings",
            shrinking,
            By::Words,
            5,
            PASS,
        ),
        (
            "converging, new findings each round",
            new(&[5, 3, 2, 1], Major),
            By::Words,
            5,
            PASS,
        ),
        ("a bug first seen in round 8", late, By::Words, 5, PASS),
        (
            "8, 2, 3, 2, 1, 0 open findings",
            wavering,
            By::Words,
            6,
            PASS,
        ),
        (
            "one known finding in every round",
            recurring,
            By::Words,
            10,
            LIMIT,
        ),
    ];
    println!("{:42} {:>6} {}", "", "rounds", "ends");
    for (name, rounds, by, expected_rounds, expected) in traces {
        let ended = play(&usual(), rounds, by);
        let (code, rounds, _) = ended.summary();
        let end = code.map_or("passed", BlockCode::as_str);
        println!("{name:42} {rounds:>6} {end}");
        assert_eq!((code, rounds), (expected, expected_rounds), "{name}");
    }
}

#[test]
fn a_spent_budget_reports_what_is_open_and_what_to_do() {
    let ended = play(&usual(), new(&[1; 9], Major), By::Words);
    assert_eq!(
        ended.session.block_reason,
        "4 rounds after the first 2 brought only new findings that nothing proves; 1 finding is \
         open: decide with ralph findings uphold ID or waive ID, with --by NAME --why TEXT"
    );
}

#[test]
fn scores_that_are_too_low_make_every_item_count() {
    let artifact = first_artifact();
    let reviewer = reviewer(|request| {
        let nit = item("Animals", &issue(request.iteration), "write one").with_severity(Minor);
        (vec![nit], if request.iteration < 3 { 40 } else { 80 })
    });
    let mut applier = MockApplier::new();
    let written = Arc::clone(&artifact);
    applier
        .expect_apply()
        .times(2)
        .returning(move |request: ApplyRequest| {
            assert_eq!(request.items.len(), 1);
            written.write(SPEC, format!("after round {}", request.iteration));
            Ok(applied(report(&request, |_| Some("accepted"))))
        });
    let ended = looped_with(&usual(), &artifact, reviewer, applier, &|_| {}, None);
    assert_eq!(
        (ended.code(), ended.session.iterations.len()),
        (THRESHOLD, 4)
    );
}

#[test]
fn late_rounds_give_the_applier_only_blocking_items() {
    let mut rounds = new(&[1; 4], Major);
    for (at, round) in (100..).zip(&mut rounds) {
        round.push((at, Minor));
    }
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let artifact = first_artifact();
    let reviewer = reviewer(move |request| {
        let round = rounds
            .get(request.iteration as usize - 1)
            .into_iter()
            .flatten();
        let items = round
            .map(|(number, severity)| item("A", &issue(*number), "x").with_severity(*severity));
        (items.collect(), 80)
    });
    let mut applier = MockApplier::new();
    let (written, given) = (Arc::clone(&artifact), Arc::clone(&asked));
    applier
        .expect_apply()
        .returning(move |request: ApplyRequest| {
            given.lock().unwrap().push(request.items.len());
            written.write(SPEC, format!("after round {}", request.iteration));
            Ok(applied(report(&request, |_| Some("accepted"))))
        });
    let ended = looped_with(&usual(), &artifact, reviewer, applier, &|_| {}, None);
    assert_eq!(ended.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(*asked.lock().unwrap(), [2, 2, 1, 1]);
}

#[test]
fn an_applier_that_rejects_everything_with_a_reason_gets_one_more_review() {
    let artifact = first_artifact();
    let reviewer = reviewer(|request| match request.iteration {
        1 => (vec![item("Animals", &issue(1), "write one")], 80),
        _ => {
            let told = &request.history[0].feedback[0];
            let decision = &told.decision.as_ref().unwrap().decision;
            assert_eq!(decision.explanation(), Some("it is meant so"));
            (Vec::new(), 80)
        }
    });
    let mut applier = MockApplier::new();
    applier
        .expect_apply()
        .times(1)
        .returning(|request: ApplyRequest| Ok(applied(report(&request, |_| Some("rejected")))));
    let ended = looped_with(&usual(), &artifact, reviewer, applier, &|_| {}, None);
    assert_eq!(ended.session.final_verdict, FinalVerdict::Pass);
}

/// Returns an applier that changes something each time and reports that everything is
/// fixed, and the number of items that it was given.
fn busy(
    artifact: &Arc<review::MemoryArtifact>,
) -> (MockApplier, Arc<std::sync::Mutex<Vec<usize>>>) {
    let given = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut applier = MockApplier::new();
    let (written, counted) = (Arc::clone(artifact), Arc::clone(&given));
    applier
        .expect_apply()
        .returning(move |request: ApplyRequest| {
            counted.lock().unwrap().push(request.items.len());
            written.write(SPEC, format!("after round {}", request.iteration));
            Ok(applied(report(&request, |_| Some("accepted"))))
        });
    (applier, given)
}

/// Returns a reviewer that passes with these scores and one minor item.
fn passing(scored: Vec<[i64; 4]>) -> MockReviewer {
    let mut mock = MockReviewer::new();
    mock.expect_review()
        .returning(move |request: ReviewRequest| {
            let values = scored[request.iteration as usize - 1];
            let nit = item("A", &issue(request.iteration), "x").with_severity(Minor);
            let review = Review::new(Verdict::Pass, scores(values), vec![nit]);
            Ok(reviewed(review.unwrap()))
        });
    mock
}

#[test]
fn a_score_that_reaches_its_minimum_is_progress_and_late_passes_keep_their_items() {
    let scored = vec![
        [50, 50, 50, 90],
        [70, 50, 50, 90],
        [70, 70, 50, 90],
        [70, 70, 70, 90],
    ];
    let artifact = first_artifact();
    let (applier, given) = busy(&artifact);
    let config = LoopConfig {
        convergence: Some(Convergence {
            patience: NonZeroU32::MIN.saturating_add(1),
            ..Convergence::default()
        }),
        ..usual()
    };
    let ended = looped_with(&config, &artifact, passing(scored), applier, &|_| {}, None);
    assert_eq!((ended.code(), ended.session.iterations.len()), (PASS, 4));
    assert_eq!(
        *given.lock().unwrap(),
        [4, 3, 2],
        "the item, and one for each minimum"
    );
}

#[test]
fn a_round_without_a_blocking_finding_does_not_count_against_the_budget() {
    let mut rounds = new(&[1; 6], Major);
    rounds[2] = vec![(50, Minor)];
    let ended = play(&usual(), rounds, By::Words);
    assert_eq!((ended.code(), ended.session.iterations.len()), (PASS, 7));
}

#[test]
fn findings_of_a_set_of_rules_do_not_count_against_the_budget() {
    let mut config = usual();
    config.reviewers[0].proves = true;
    let ended = play(&config, new(&[1; 12], Major), By::Words);
    assert_eq!((ended.code(), ended.session.iterations.len()), (LIMIT, 10));
}

#[test]
fn a_fallback_whose_pass_does_not_count_passes_nothing_below_the_fail_level() {
    let mut config = usual();
    config.reviewers[0].pass_counts = false;
    let ended = play(&config, new(&[1; 3], Minor), By::Words);
    assert_eq!(ended.session.final_verdict, FinalVerdict::Blocked);
}

#[test]
fn a_disputed_finding_with_minor_ones_is_not_accepted() {
    let artifact = first_artifact();
    let reviewer = reviewer(|_| {
        let grave = item("A", &issue(1), "x").with_severity(Major);
        let nit = item("A", &issue(2), "x").with_severity(Minor);
        (vec![grave, nit], 80)
    });
    let mut applier = MockApplier::new();
    let written = Arc::clone(&artifact);
    applier
        .expect_apply()
        .returning(move |request: ApplyRequest| {
            written.write(SPEC, format!("after round {}", request.iteration));
            Ok(applied(report(&request, |_| Some("rejected"))))
        });
    let ended = looped_with(&usual(), &artifact, reviewer, applier, &|_| {}, None);
    assert_eq!(ended.code(), Some(BlockCode::Disputed));
}

#[test]
fn a_pass_with_a_blocking_item_is_a_revision_without_another_call() {
    let artifact = first_artifact();
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut reviewer = MockReviewer::new();
    let steps = Arc::clone(&asked);
    reviewer.expect_review().returning(move |request| {
        steps.lock().unwrap().push(request.step.name.to_string());
        Ok(answer(
            r#"{"verdict": "pass",
                "score": {"completeness": 90, "consistency": 85, "testability": 95, "architecture": 80},
                "feedback": [{"section": "Animals", "issue": "the zebra is striped",
                    "suggestion": "fix it", "severity": "critical"}]}"#,
        ))
    });
    let config = LoopConfig {
        max_iterations: 2,
        ..usual()
    };
    let (applier, _) = busy(&artifact);
    let ended = looped_with(&config, &artifact, reviewer, applier, &|_| {}, None);
    assert_eq!(ended.code(), LIMIT);
    assert_eq!(
        *asked.lock().unwrap(),
        ["review/review-1.1", "review/review-2.1"]
    );
}

#[test]
fn the_fail_level_decides_which_item_a_pass_may_have() {
    use review::types::Severity::Suggestion;
    for (fail_level, severity, end) in [
        (Critical, Major, PASS),
        (Critical, Critical, LIMIT),
        (Major, Minor, PASS),
        (Minor, Minor, LIMIT),
        (Suggestion, Suggestion, LIMIT),
    ] {
        let artifact = first_artifact();
        let mut reviewer = MockReviewer::new();
        reviewer.expect_review().returning(move |_| {
            let bare = item("Animals", "No keeper is named", "name one");
            let graded = item("Animals", "SQL injection is possible", "use parameters");
            let items = vec![bare, graded.with_severity(severity)];
            Ok(reviewed(
                Review::new(Verdict::Pass, scores([95; 4]), items).unwrap(),
            ))
        });
        let (applier, _) = busy(&artifact);
        let config = LoopConfig {
            max_iterations: 1,
            fail_level,
            ..usual()
        };
        let ended = looped_with(&config, &artifact, reviewer, applier, &|_| {}, None);
        assert_eq!(ended.code(), end, "{fail_level} {severity}");
        // What a pass does not grade is minor, also where it is no pass.
        let mut findings = ended.findings.iter();
        let bare = findings.find(|one| one.issue.contains("keeper")).unwrap();
        assert_eq!(bare.severity, Minor, "{fail_level} {severity}");
    }
}
