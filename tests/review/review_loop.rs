//! Task 6: the loop.

use std::sync::Mutex;

use review::config::{BelowMinimumPolicy, LoopConfig};
use review::criteria::Criteria;
use review::events::{Envelope, Event};
use review::flow::ManualClock;
use review::prompt::PromptReviewer;
use review::types::{
    AgentError, BlockCode, ConfigError, FeedbackId, FeedbackItem, FinalVerdict, ReviewSession,
    Verdict,
};
use review::{Budget, MemoryArtifact, MemorySink, ReviewLoop, ReviewSpecsError};

use crate::support::{
    MockApplier, MockReviewer, MockTaskInvoker, SEED, answer, applier, block_on, builder, config,
    failure, item, needs_revision, pass, pass_with, reviewer,
};

fn run_with(
    config: LoopConfig,
    reviewer: MockReviewer,
    applier: MockApplier,
) -> (ReviewSession, Vec<Envelope>) {
    let sink = MemorySink::default();
    let looped = builder(config, reviewer, applier)
        .events(&sink)
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &ManualClock::default())).unwrap();
    (session, sink.events())
}

fn run(
    answers: impl IntoIterator<Item = Result<String, AgentError>>,
    applies: usize,
) -> (ReviewSession, Vec<Envelope>) {
    run_with(config(), reviewer(answers), applier(applies))
}

/// Returns the last part of each event's type, in order.
fn types(events: &[Envelope]) -> Vec<&'static str> {
    events
        .iter()
        .map(|envelope| envelope.event.event_type().as_str())
        .map(|name| name.strip_prefix("spec.review.").unwrap_or(name))
        .collect()
}

fn blocked(session: &ReviewSession) -> (FinalVerdict, Option<BlockCode>, &str) {
    (
        session.final_verdict,
        session.block_code,
        &session.block_reason,
    )
}

fn malformed() -> Result<String, AgentError> {
    Ok("I like it.".to_owned())
}

#[test]
fn reviewer_run_review_loop_pass_on_first_iteration() {
    let (session, events) = run([Ok(pass())], 0);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(session.iterations.len(), 1);
    assert_eq!(session.iterations[0].iteration, 1);
    assert_eq!(session.block_reason, "");
    assert_eq!(types(&events), ["started", "iteration", "passed"]);
}

#[test]
fn reviewer_run_review_loop_pass_after_revision() {
    let (session, events) = run([Ok(needs_revision()), Ok(pass())], 1);
    let verdicts: Vec<_> = session
        .iterations
        .iter()
        .map(|round| round.result.as_ref().unwrap().verdict())
        .collect();
    assert_eq!(verdicts, [Verdict::NeedsRevision, Verdict::Pass]);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(
        types(&events),
        ["started", "iteration", "feedback", "iteration", "passed"]
    );
}

#[test]
fn reviewer_run_review_loop_blocked_after_max_iterations() {
    let (session, events) = run(std::iter::repeat_n(Ok(needs_revision()), 3), 2);
    assert_eq!(session.iterations.len(), 3);
    assert_eq!(
        blocked(&session),
        (
            FinalVerdict::Blocked,
            Some(BlockCode::MaxIterations),
            "max iterations (3) exhausted without passing review"
        )
    );
    assert_eq!(
        types(&events),
        [
            "started",
            "iteration",
            "feedback",
            "iteration",
            "feedback",
            "iteration",
            "blocked"
        ]
    );
}

#[test]
fn reviewer_run_review_loop_blocked_on_malformed_output() {
    let (session, events) = run([malformed(), malformed()], 0);
    assert_eq!(session.iterations, []);
    assert_eq!(session.block_code, Some(BlockCode::Malformed));
    let start = "no usable answer, also after 1 retry: ";
    assert!(
        session.block_reason.starts_with(start),
        "{}",
        session.block_reason
    );
    assert_eq!(types(&events).last(), Some(&"blocked"));
}

#[test]
fn reviewer_retry_on_malformed_then_success() {
    let (session, events) = run([malformed(), Ok(pass())], 0);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(
        types(&events),
        ["started", "malformed", "iteration", "passed"]
    );
}

#[test]
fn reviewer_review_specs_valid_output() {
    let looped = builder(config(), reviewer([Ok(needs_revision())]), applier(0))
        .build()
        .unwrap();
    let review = block_on(looped.review_specs(SEED)).unwrap();
    assert_eq!(review.verdict(), Verdict::NeedsRevision);
    assert_eq!(
        review.feedback(),
        [item("API", "no error codes", "list them")]
    );
}

#[test]
fn reviewer_review_specs_malformed_output() {
    let looped = builder(config(), reviewer([malformed()]), applier(0))
        .build()
        .unwrap();
    match block_on(looped.review_specs(SEED)) {
        Err(ReviewSpecsError::Malformed { error, raw_output }) => {
            assert_eq!(error.field.to_string(), "json");
            assert_eq!(raw_output, b"I like it.");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reviewer_that_cannot_be_called_gives_no_review() {
    let looped = ReviewLoop::review_only(reviewer([Err(failure("no such program"))])).build();
    let error = block_on(looped.unwrap().review_specs(SEED)).unwrap_err();
    assert_eq!(error.to_string(), "the reviewer failed: no such program");
}

#[test]
fn reviewer_emits_correct_events_pass() {
    let (_, events) = run([Ok(pass())], 0);
    let Event::ReviewStarted(started) = &events[0].event else {
        panic!("{:?}", events[0]);
    };
    assert_eq!(
        [&started.feature, &started.spec, &started.path],
        ["search", "docs/PRD.md", "specs/SEARCH.md"]
    );
    let Event::ReviewPassed(passed) = &events[2].event else {
        panic!("{:?}", events[2]);
    };
    assert_eq!(passed.iterations, 1);
    let numbers: Vec<_> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, [Some(0), Some(1), Some(2)]);
}

#[test]
fn reviewer_emits_correct_events_blocked() {
    let (_, events) = run([malformed(), malformed()], 0);
    assert_eq!(
        types(&events),
        ["started", "malformed", "malformed", "blocked"]
    );
    let numbers: Vec<_> = events
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::ReviewMalformed(malformed) => {
                Some((malformed.retry_number, malformed.raw_output.as_str()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(numbers, [(1, "I like it."), (2, "I like it.")]);
}

#[test]
fn reviewer_blocked_payload_contains_recovery() {
    let (session, events) = run(std::iter::repeat_n(Ok(needs_revision()), 3), 2);
    let Some(Event::ReviewBlocked(blocked)) = events.last().map(|last| last.event.clone()) else {
        panic!("{events:?}");
    };
    assert_eq!(blocked.reason, session.block_reason);
    assert_eq!(blocked.code, BlockCode::MaxIterations);
    assert_eq!(blocked.iterations, session.iterations);
    assert_eq!(
        blocked.recovery_actions,
        [
            "review the feedback of all iterations: ralph report latest",
            "edit specs/SEARCH.md by hand",
            "continue: ralph resume latest"
        ]
    );
    assert_eq!(blocked.path, "specs/SEARCH.md");
}

#[test]
fn an_applier_that_fails_blocks_the_loop() {
    let mut applier = MockApplier::new();
    applier
        .expect_apply()
        .times(1)
        .returning(|_| Err(failure("exit status 1")));
    let (session, events) = run_with(config(), reviewer([Ok(needs_revision())]), applier);
    assert_eq!(
        blocked(&session),
        (
            FinalVerdict::Blocked,
            Some(BlockCode::ApplierFailed),
            "failed to apply feedback: exit status 1"
        )
    );
    assert_eq!(
        types(&events),
        ["started", "iteration", "feedback", "blocked"]
    );
}

#[test]
fn a_failed_reviewer_is_not_a_malformed_answer() {
    let (session, events) = run([Err(failure("exit status 7"))], 0);
    assert_eq!(
        blocked(&session),
        (
            FinalVerdict::Blocked,
            Some(BlockCode::ReviewerFailed),
            "the reviewer failed: exit status 7"
        )
    );
    assert_eq!(types(&events), ["started", "reviewer_failed", "blocked"]);
}

#[test]
fn an_empty_answer_is_malformed_and_reported() {
    let (session, events) = run([Ok(String::new()), Ok(" \n".to_owned())], 0);
    assert_eq!(session.block_code, Some(BlockCode::Malformed));
    assert_eq!(
        types(&events),
        ["started", "malformed", "malformed", "blocked"]
    );
}

#[test]
fn a_retry_has_the_error_and_the_end_of_the_answer() {
    let requests = std::sync::Arc::new(Mutex::new(Vec::new()));
    let mut reviewer = MockReviewer::new();
    let seen = std::sync::Arc::clone(&requests);
    reviewer.expect_review().times(2).returning(move |request| {
        let mut seen = seen.lock().unwrap();
        seen.push(request);
        let text = if seen.len() == 1 {
            format!("{}{{\"verdict\": \"maybe\"}}", "x".repeat(5000))
        } else {
            pass()
        };
        Ok(answer(text))
    });
    let (session, _) = run_with(config(), reviewer, applier(0));
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    let requests = requests.lock().unwrap();
    assert_eq!(requests[0].retry, None);
    let retry = requests[1].retry.as_ref().unwrap();
    assert_eq!(retry.field, "verdict");
    assert!(retry.message.contains("maybe"), "{}", retry.message);
    assert_eq!(retry.tail.len(), 2048);
    assert!(retry.tail.ends_with("x{\"verdict\": \"maybe\"}"));
    assert_ne!(requests[0].review_id, requests[1].review_id);
    let names: Vec<_> = requests.iter().map(|r| r.step.name.as_str()).collect();
    assert_eq!(names, ["review/review-1.1", "review/review-1.2"]);
}

#[test]
fn the_number_of_retries_is_counted_per_round() {
    let answers = [malformed(), Ok(needs_revision()), malformed(), Ok(pass())];
    let (session, _) = run(answers, 1);
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    let none = LoopConfig {
        retry_on_malformed: 0,
        ..config()
    };
    let (session, events) = run_with(none, reviewer([malformed()]), applier(0));
    assert!(session.block_reason.starts_with("no usable answer: "));
    assert_eq!(types(&events), ["started", "malformed", "blocked"]);
}

#[test]
fn zero_rounds_are_a_configuration_error() {
    let none = LoopConfig {
        max_iterations: 0,
        ..config()
    };
    let built = builder(none, reviewer([]), applier(0)).build();
    assert_eq!(built.err(), Some(ConfigError::NoIterations));
}

/// The items that the applier was given, round by round.
fn given(answers: Vec<String>, config: LoopConfig) -> (ReviewSession, Vec<Vec<FeedbackItem>>) {
    let given = std::sync::Arc::new(Mutex::new(Vec::new()));
    let mut applier = MockApplier::new();
    let seen = std::sync::Arc::clone(&given);
    applier.expect_apply().returning(move |request| {
        seen.lock().unwrap().push(request.items.as_slice().to_vec());
        Ok(crate::support::applied(""))
    });
    let (session, _) = run_with(config, reviewer(answers.into_iter().map(Ok)), applier);
    let given = given.lock().unwrap().clone();
    (session, given)
}

#[test]
fn a_pass_below_a_minimum_becomes_feedback_about_the_missing_points() {
    let (session, given) = given(vec![pass_with([90, 65, 90, 90]), pass()], config());
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    assert_eq!(
        given,
        [[item(
            "consistency",
            "consistency 65 is below its minimum 70",
            "Raise consistency to at least 70: fix what costs it points."
        )
        .with_id(FeedbackId::new("consistency-01").unwrap())]]
    );
}

#[test]
fn a_pass_that_stays_below_a_minimum_is_blocked_with_that_reason() {
    let low = || pass_with([90, 65, 90, 60]);
    let (session, given) = given(vec![low(), low(), low()], config());
    assert_eq!(given.len(), 2);
    assert_eq!(
        blocked(&session),
        (
            FinalVerdict::Blocked,
            Some(BlockCode::BelowMinimum),
            "the reviewer says pass, but consistency 65 is below its minimum 70 \
             and architecture 60 is below its minimum 70"
        )
    );
}

#[test]
fn the_policy_decides_the_outcome_of_a_low_pass() {
    let with = |below_minimum| LoopConfig {
        below_minimum,
        ..config()
    };
    let low = || pass_with([69, 70, 70, 70]);
    let (session, given) = given(vec![low()], with(BelowMinimumPolicy::Accept));
    assert_eq!(
        (session.final_verdict, given.len()),
        (FinalVerdict::Pass, 0)
    );
    let (session, _) = run_with(
        with(BelowMinimumPolicy::Block),
        reviewer([Ok(low())]),
        applier(0),
    );
    assert_eq!(session.block_code, Some(BlockCode::BelowMinimum));
    assert_eq!(session.iterations.len(), 1);
}

#[test]
fn the_configured_criteria_are_used() {
    let json = r#"[{"name": "clarity", "description": "Says it once", "min_score": 40}]"#;
    let criteria: Criteria = serde_json::from_str(json).unwrap();
    let config = LoopConfig {
        criteria,
        max_iterations: 1,
        ..config()
    };
    let answer = |score: u8| format!(r#"{{"verdict": "pass", "score": {{"clarity": {score}}}}}"#);
    let (session, _) = run_with(config.clone(), reviewer([Ok(answer(40))]), applier(0));
    assert_eq!(session.final_verdict, FinalVerdict::Pass);
    let (session, _) = run_with(config, reviewer([Ok(answer(39))]), applier(0));
    assert_eq!(session.block_code, Some(BlockCode::BelowMinimum));
}

#[test]
fn every_call_counts_against_the_limit_of_calls() {
    let limited = LoopConfig {
        budget: Budget {
            max_calls: Some(3),
            ..Budget::default()
        },
        ..config()
    };
    let answers = [malformed(), Ok(needs_revision())];
    let (session, _) = run_with(limited, reviewer(answers), applier(1));
    assert_eq!(
        blocked(&session),
        (
            FinalVerdict::Blocked,
            Some(BlockCode::Budget),
            "all 3 calls of the run are used up"
        )
    );
}

#[test]
fn the_review_prompt_has_the_text_criteria_and_the_answer_format() {
    let prompts = std::sync::Arc::new(Mutex::new(Vec::new()));
    let mut invoker = MockTaskInvoker::new();
    let seen = std::sync::Arc::clone(&prompts);
    invoker.expect_invoke_task().returning(move |prompt, kind| {
        seen.lock()
            .unwrap()
            .push((prompt.to_owned(), kind.to_owned()));
        Ok(prompt.as_bytes().to_vec())
    });
    let artifact = MemoryArtifact::default();
    artifact.write("specs/SEARCH.md", "# Search\n\nIt finds notes.\n");
    let looped = builder(
        config(),
        PromptReviewer::new(invoker, &artifact),
        applier(0),
    )
    .build()
    .unwrap();
    let echoed = block_on(looped.review_specs(SEED));
    assert!(
        matches!(echoed, Err(ReviewSpecsError::Malformed { .. })),
        "a prompt that is echoed is not an answer: {echoed:?}"
    );
    let (prompt, kind) = prompts.lock().unwrap()[0].clone();
    assert_eq!(kind, "general-purpose");
    for part in [
        "Review the specs for quality and completeness.",
        "\nSpec: docs/PRD.md\n",
        "\nPath: specs/SEARCH.md\n",
        " file specs/SEARCH.md>>>\n# Search\n\nIt finds notes.\n\n<<<",
        "\n1. COMPLETENESS: All PRD requirements have corresponding spec sections\n",
        "\n2. CONSISTENCY: Types, interfaces, and naming are consistent throughout\n",
        "\n3. TESTABILITY: Backpressure commands are specific and executable\n",
        "\n4. ARCHITECTURE: Follows existing patterns in codebase\n",
        "MUST be valid JSON",
        "\"verdict\": \"pass\" | \"needs_revision\"",
        "\"completeness\": 0-100",
        "{ \"section\": \"...\", \"issue\": \"...\", \"suggestion\": \"...\", \"severity\": \"critical\" | ",
        "So only critical and major items ask for a revision.",
    ] {
        assert!(prompt.contains(part), "{part}\n{prompt}");
    }
}

#[test]
fn an_artifact_that_no_prompt_holds_is_not_sent() {
    let mut invoker = MockTaskInvoker::new();
    invoker.expect_invoke_task().times(0);
    let artifact = MemoryArtifact::default();
    artifact.write("specs/SEARCH.md", vec![b'x'; 1024 * 1024 + 1]);
    let looped = builder(
        config(),
        PromptReviewer::new(invoker, &artifact),
        applier(0),
    )
    .build()
    .unwrap();
    let error = block_on(looped.review_specs(SEED)).unwrap_err();
    let expected = "the artifact has 1048577 bytes, and a prompt holds 1048576";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_single_review_that_passes_with_a_critical_item_is_a_revision() {
    for (severity, expected) in [
        ("critical", Verdict::NeedsRevision),
        ("major", Verdict::NeedsRevision),
        ("minor", Verdict::Pass),
    ] {
        let item = format!(
            r#"[{{"section": "API", "issue": "no error codes", "suggestion": "list them", "severity": "{severity}"}}]"#
        );
        let said = pass().replace("[]", &item);
        let looped = builder(config(), reviewer([Ok(said)]), applier(0))
            .build()
            .unwrap();
        let review = block_on(looped.review_specs(SEED)).unwrap();
        assert_eq!(review.verdict(), expected, "{severity}");
    }
}
