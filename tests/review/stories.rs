//! Loops that users of review loops reported, and how they end here.

use std::sync::Arc;

use review::config::LoopConfig;
use review::types::{BlockCode, FinalVerdict, FindingStatus, Review, Verdict};
use review::{ApplyRequest, MemoryArtifact, ReviewRequest};

use crate::looped::{Ended, SPEC, converging, first_artifact, looped, report};
use crate::support::{MockApplier, MockReviewer, applied, item, reviewed, scores};

/// The answer of a reviewer: its issues with their sections, and one score for all
/// criteria. Without an issue it passes.
type ScriptedAnswer = (Vec<(&'static str, &'static str)>, i64);

/// The result of an applier: the content that it writes, if any, and its report.
type Done = (Option<String>, String);

/// Runs a loop of up to 50 rounds between a reviewer and an applier.
fn story(
    said: impl Fn(&ReviewRequest) -> ScriptedAnswer + Send + Sync + 'static,
    done: impl Fn(&ApplyRequest) -> Done + Send + Sync + 'static,
) -> Ended {
    let config = LoopConfig {
        max_iterations: 50,
        ..converging(2)
    };
    let artifact = first_artifact();
    looped(
        &config,
        &artifact,
        reviewer(said),
        applier(&artifact, done),
        &|_| {},
    )
}

fn reviewer(
    said: impl Fn(&ReviewRequest) -> ScriptedAnswer + Send + Sync + 'static,
) -> MockReviewer {
    let mut mock = MockReviewer::new();
    mock.expect_review().returning(move |request| {
        let (issues, score) = said(&request);
        let items: Vec<_> = issues
            .iter()
            .map(|(section, issue)| item(section, issue, "fix it"))
            .collect();
        let verdict = match items.is_empty() {
            true => Verdict::Pass,
            false => Verdict::NeedsRevision,
        };
        let review = Review::new(verdict, scores([score; 4]), items);
        Ok(reviewed(review.unwrap()))
    });
    mock
}

fn applier(
    artifact: &Arc<MemoryArtifact>,
    done: impl Fn(&ApplyRequest) -> Done + Send + Sync + 'static,
) -> MockApplier {
    let artifact = Arc::clone(artifact);
    let mut mock = MockApplier::new();
    mock.expect_apply().returning(move |request| {
        let (text, report) = done(&request);
        if let Some(text) = text {
            artifact.write(SPEC, text);
        }
        Ok(applied(report.into_bytes()))
    });
    mock
}

/// Returns an applier that writes something new each time and reports nothing.
fn busy(request: &ApplyRequest) -> Done {
    (
        Some(format!("after round {}", request.iteration)),
        String::new(),
    )
}

/// Returns a report with one decision on every item.
fn all(request: &ApplyRequest, status: &str) -> String {
    report(request, |_| Some(status))
}

const OTTER: (&str, &str) = ("Animals", "no one feeds the otter");
const ZEBRA: (&str, &str) = ("Animals", "the zebra is striped");
const GIRAFFE: (&str, &str) = ("Animals", "giraffes are too tall");

#[test]
fn forty_seven_rounds_with_the_goal_met_at_13_end_two_rounds_later_with_that_round() {
    let said = |request: &ReviewRequest| {
        let round = i64::from(request.iteration);
        let issue = if round % 2 == 0 && round < 13 {
            OTTER
        } else {
            ZEBRA
        };
        (vec![issue], if round <= 13 { 30 + 4 * round } else { 70 })
    };
    let ended = story(said, busy);
    assert_eq!(ended.summary(), (Some(BlockCode::Stagnated), 15, Some(13)));
    assert_eq!(ended.on_disk, "after round 12");
}

#[test]
fn rounds_without_an_edit_end_after_one_reminder() {
    let ended = story(|_| (vec![OTTER], 50), |_| (None, String::new()));
    assert_eq!(ended.summary(), (Some(BlockCode::NoChange), 1, Some(1)));
}

#[test]
fn a_finding_that_is_fixed_and_raised_again_is_reported_and_ends_as_stagnated() {
    let done = |request: &ApplyRequest| (busy(request).0, all(request, "accepted"));
    let ended = story(|_| (vec![OTTER], 60), done);
    assert_eq!(ended.summary(), (Some(BlockCode::Stagnated), 3, Some(3)));
    let [finding] = &ended.findings[..] else {
        panic!("{:?}", ended.findings);
    };
    assert_eq!((finding.repeats, finding.raised.len()), (2, 3));
    assert_eq!(ended.repeated, std::slice::from_ref(finding));
}

#[test]
fn agents_that_never_agree_are_reported_at_the_third_time() {
    let said = |request: &ReviewRequest| {
        let other = if request.iteration.is_multiple_of(2) {
            ZEBRA
        } else {
            GIRAFFE
        };
        (vec![OTTER, other], 50 + i64::from(request.iteration))
    };
    let done = |request: &ApplyRequest| {
        let (id, otter) = request.items.iter().next().unwrap();
        let report = format!(
            r#"{{"applied_feedback": {{"items": [{{"id": "{}", "status": "rejected", "explanation": "otters hunt"}}]}}}}"#,
            id
        );
        let is_otter = otter.issue() == OTTER.1;
        (
            busy(request).0,
            if is_otter { report } else { String::new() },
        )
    };
    let ended = story(said, done);
    assert_eq!(ended.code(), Some(BlockCode::Disputed));
    assert_eq!(ended.session.iterations.len(), 3);
    let otter = ended
        .findings
        .iter()
        .find(|one| one.issue == OTTER.1)
        .unwrap();
    assert_eq!(otter.status, FindingStatus::Disputed);
    assert_eq!(otter.history[0].why.as_deref(), Some("otters hunt"));
    assert_eq!(
        ended.session.block_reason,
        format!(
            "reviewer and applier disagree on {0}, which was raised at least 3 times within 5 rounds; \
             settle it with ralph findings waive {0} --why TEXT or ralph findings uphold {0} --why TEXT",
            otter.id
        )
    );
}

#[test]
fn a_disputed_finding_is_not_given_to_the_applier_again() {
    let said = |request: &ReviewRequest| match request.iteration {
        1 => (vec![OTTER], 50),
        2 => (vec![OTTER, ZEBRA], 60),
        _ => (Vec::new(), 90),
    };
    let done = |request: &ApplyRequest| {
        let items = request.items.as_slice().iter();
        let asked: Vec<_> = items.map(review::types::FeedbackItem::issue).collect();
        let expected = if request.iteration == 1 {
            OTTER.1
        } else {
            ZEBRA.1
        };
        assert_eq!(asked, [expected]);
        let status = if request.iteration == 1 {
            "rejected"
        } else {
            "accepted"
        };
        (busy(request).0, all(request, status))
    };
    let ended = story(said, done);
    assert_eq!(ended.session.final_verdict, FinalVerdict::Pass);
    let statuses: Vec<_> = ended.findings.iter().map(|one| one.status).collect();
    assert_eq!(statuses, [FindingStatus::Fixed; 2]);
}

#[test]
fn a_reviewer_who_names_nothing_that_counts_is_asked_once_more_with_the_reason() {
    let said = |request: &ReviewRequest| {
        let known: Vec<_> = request.findings.iter().map(|one| one.status).collect();
        let expected: &[FindingStatus] = match request.iteration {
            1 => &[],
            2 => &[FindingStatus::Open, FindingStatus::Open],
            _ => &[FindingStatus::Disputed, FindingStatus::Rejected],
        };
        assert_eq!(known, expected);
        let issues = match request.iteration {
            1 => vec![OTTER, ZEBRA],
            2 => vec![OTTER],
            _ => vec![ZEBRA],
        };
        (issues, 50 + i64::from(request.iteration))
    };
    let done = |request: &ApplyRequest| {
        assert_eq!(request.iteration, 1, "nothing is left to apply");
        (busy(request).0, all(request, "rejected"))
    };
    let ended = story(said, done);
    let code = Some(BlockCode::NoBlockingFinding);
    assert_eq!(ended.summary(), (code, 3, Some(3)));
}

#[test]
fn a_better_round_before_the_last_is_the_one_that_is_left() {
    let said = |request: &ReviewRequest| match request.iteration {
        1 => (vec![OTTER, ZEBRA, GIRAFFE], 50),
        2 => (vec![OTTER], 65),
        _ => (vec![OTTER, ZEBRA], 66),
    };
    let ended = story(said, busy);
    assert_eq!(ended.summary(), (Some(BlockCode::Stagnated), 4, Some(2)));
    assert_eq!(ended.on_disk, "after round 1");
}

#[test]
fn a_rejected_finding_that_is_raised_again_does_not_make_its_round_worse() {
    let said = |request: &ReviewRequest| match request.iteration {
        1 => (vec![OTTER], 50),
        _ => (vec![ZEBRA, GIRAFFE], 50),
    };
    let done = |request: &ApplyRequest| (busy(request).0, all(request, "rejected"));
    let ended = story(said, done);
    let code = Some(BlockCode::Disputed);
    assert_eq!(ended.summary(), (code, 4, Some(4)));
}
