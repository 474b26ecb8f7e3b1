//! The decision on each item of feedback, and who sees it.

use std::sync::{Arc, Mutex};

use review::MemorySink;
use review::config::Convergence;
use review::events::{Event, FeedbackDecided};
use review::types::{DecisionCounts, DecisionStatus, FeedbackItem, PastRound, Verdict};

use crate::artifact::{SPEC, World};
use crate::support::{MockApplier, MockReviewer, answer, applied, item, needs_revision, pass};

/// The histories that reviewers were shown.
type History = Arc<Mutex<Vec<Vec<PastRound>>>>;

/// Returns a reviewer with these answers in turn.
fn reviewer(answers: Vec<String>, told: &History) -> MockReviewer {
    let mut mock = MockReviewer::new();
    let told = Arc::clone(told);
    let mut answers = answers.into_iter();
    mock.expect_review().returning(move |request| {
        told.lock().unwrap().push(request.history);
        Ok(answer(answers.next().expect("as many answers as calls")))
    });
    mock
}

/// Returns an applier that writes the spec and this report.
fn applier(world: &World, writes: &'static str, report: &'static str) -> MockApplier {
    let artifact = Arc::clone(&world.artifact);
    let mut mock = MockApplier::new();
    mock.expect_apply().returning(move |request| {
        let ids: Vec<_> = request.items.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["api-01"]);
        artifact.write(SPEC, writes);
        Ok(applied(report))
    });
    mock
}

fn decided(sink: &MemorySink) -> Vec<FeedbackDecided> {
    let events = sink.events().into_iter();
    events
        .filter_map(|envelope| match envelope.event {
            Event::FeedbackDecided(decided) => Some(decided),
            _ => None,
        })
        .collect()
}

#[test]
fn the_next_reviewer_sees_the_decisions() {
    let mut world = World::new();
    let told = History::default();
    let sink = MemorySink::default();
    let report = r#"I left it: {"applied_feedback": {"items": [
        {"id": "api-01", "status": "rejected", "reason_code": "out_of_scope"}]}}"#;
    let applier = applier(&world, "# Search, fixed\n", report);
    let session = world.run_telling(
        &sink,
        reviewer(vec![needs_revision(), "rubbish".to_owned(), pass()], &told),
        applier,
    );
    assert_eq!(session.iterations.len(), 2);
    let told = told.lock().unwrap();
    assert_eq!(told[0], []);
    let [round] = &*told[1] else {
        panic!("{:?}", told[1]);
    };
    assert_eq!(told[1], told[2], "a malformed answer changes nothing");
    assert_eq!(
        (round.iteration.get(), round.verdict),
        (1, Verdict::NeedsRevision)
    );
    let [past] = &*round.feedback else {
        panic!("{round:?}");
    };
    assert_eq!(past.item.id().unwrap().as_str(), "api-01");
    let raised = item("API", "no error codes", "list them");
    assert!(past.item.says_the_same(&raised));
    let taken = past.decision.as_ref().unwrap();
    assert!(!taken.inferred);
    assert_eq!(taken.decision.status(), DecisionStatus::Rejected);
    let events = decided(&sink);
    let [event] = &*events else {
        panic!("{events:?}");
    };
    assert_eq!(event.iteration, 1);
    assert_eq!(event.feedback, round.feedback);
    let rejected = DecisionCounts {
        rejected: 1,
        ..DecisionCounts::default()
    };
    assert_eq!(event.counts, rejected);
    assert!(!event.truncated);
}

#[test]
fn without_stated_decisions_the_changes_decide() {
    for (writes, status) in [
        ("# Search, fixed\n", DecisionStatus::Accepted),
        ("# Search\n", DecisionStatus::Rejected),
    ] {
        let mut world = World::new();
        let told = History::default();
        let applier = applier(&world, writes, "done");
        world.run(reviewer(vec![needs_revision(), pass()], &told), applier);
        let told = told.lock().unwrap();
        let taken = told[1][0].feedback[0].decision.as_ref().unwrap();
        assert!(taken.inferred);
        assert_eq!(taken.decision.status(), status);
    }
}

#[test]
fn decisions_survive_a_crash_in_the_next_review() {
    let mut world = World::new();
    let first = History::default();
    let fixed = applier(&world, "# Search, fixed\n", "done");
    world.run(reviewer(vec![needs_revision(), pass()], &first), fixed);
    world.cut_off_in("review/review-2.1");
    let again = History::default();
    world.run(reviewer(vec![pass()], &again), MockApplier::new());
    assert_eq!(again.lock().unwrap()[0], first.lock().unwrap()[1]);
}

#[test]
fn a_reviewer_sees_the_last_five_rounds_within_the_maximum_size() {
    let revision = |issue: &str| {
        let items = [FeedbackItem::new("API", issue, "list them").unwrap()];
        needs_revision().replace(
            r#"[{"section": "API", "issue": "no error codes", "suggestion": "list them"}]"#,
            &serde_json::to_string(&items).unwrap(),
        )
    };
    let mut world = World::new();
    world.config.max_iterations = 8;
    let told = History::default();
    let long = "x".repeat(60 * 1024);
    let mut answers: Vec<_> = (1..7).map(|round| revision(&round.to_string())).collect();
    answers.extend([revision(&long), pass()]);
    let fixed = applier(&world, "# Search, fixed\n", "done");
    world.run(reviewer(answers, &told), fixed);
    let told = told.lock().unwrap();
    let rounds = |at: usize| -> Vec<_> {
        let rounds = told[at].iter();
        rounds
            .map(|round| (round.iteration.get(), round.feedback.len()))
            .collect()
    };
    assert_eq!(rounds(5), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]);
    assert_eq!(rounds(6), [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1)]);
    assert_eq!(rounds(7), [(3, 1), (4, 1), (5, 1), (6, 1), (7, 1)]);
    let long = "x".repeat(64 * 1024);
    let mut world = World::new();
    let told = History::default();
    let fixed = applier(&world, "# Search, fixed\n", "done");
    let answers = vec![revision("1"), revision(&long), pass()];
    world.run(reviewer(answers, &told), fixed);
    let told = told.lock().unwrap();
    let told: Vec<_> = told[2].iter().map(|round| round.feedback.len()).collect();
    assert_eq!(told, [0, 0], "the last round fills the room alone");
}

#[test]
fn a_reminder_needs_no_decision() {
    let mut world = World::new();
    world.config.convergence = Some(Convergence::default());
    let sink = MemorySink::default();
    let told = History::default();
    let mut mock = MockApplier::new();
    let artifact = Arc::clone(&world.artifact);
    mock.expect_apply().times(2).returning(move |request| {
        let is_reminded = request.items.len() == 2;
        if is_reminded {
            artifact.write(SPEC, "# Search, fixed\n");
        }
        Ok(applied(""))
    });
    world.run_telling(&sink, reviewer(vec![needs_revision(), pass()], &told), mock);
    let events = decided(&sink);
    let kinds: Vec<_> = events
        .iter()
        .map(|event| {
            (
                event.feedback.len(),
                event.counts.accepted,
                event.counts.rejected,
            )
        })
        .collect();
    assert_eq!(kinds, [(1, 0, 1), (1, 1, 0)]);
    let told = told.lock().unwrap();
    assert_eq!(
        told[1][0].feedback, events[1].feedback,
        "the last decision counts"
    );
}
