//! Task 6, also: failed calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use review::config::{ChainLink, LoopConfig};
use review::events::{AgentRole, CallRetried, Envelope, Event, ReviewerReplaced};
use review::flow::Seed;
use review::flow::{Clock, Input, Machine, ManualClock, StepName};
use review::machine::{ReviewArgs, ReviewDone, ReviewMachine, ReviewOp};
use review::schema::Dialect;
use review::types::{
    AgentError, BlockCode, Failure, FinalVerdict, LimitKind, ReviewSession, Timestamp,
};
use review::{ApplyReport, Budget, Malformed, MemorySink};

use serde_json::json;

use crate::support::{
    MockApplier, MockReviewer, SEED, answer, applied, applier, block_on, builder, config, failure,
    needs_revision, pass,
};

/// A recorded call of a reviewer: the step, the position in the chain, and whether a
/// malformed answer was quoted.
type Call = (String, u32, bool);

/// A loop that ended.
struct Ran {
    session: ReviewSession,
    events: Vec<Envelope>,
    calls: Vec<Call>,
    took: Duration,
}

impl Ran {
    fn steps(&self) -> Vec<(&str, u32)> {
        self.calls
            .iter()
            .map(|(step, reviewer, _)| (step.as_str(), *reviewer))
            .collect()
    }

    fn retried(&self) -> Vec<&CallRetried> {
        let found = self
            .events
            .iter()
            .filter_map(|envelope| match &envelope.event {
                Event::CallRetried(found) => Some(found),
                _ => None,
            });
        found.collect()
    }
}

fn error(failure: Failure) -> AgentError {
    AgentError::new(failure, "no luck")
}

fn overloaded() -> AgentError {
    error(Failure::ModelError { status: Some(529) })
}

fn hung() -> AgentError {
    error(Failure::Hung {
        limit: LimitKind::Wall,
        after_ms: 1,
    })
}

fn limited(seconds: i64) -> AgentError {
    error(Failure::RateLimited {
        retry_at: Some(Timestamp::from_unix_ms(seconds * 1000)),
        of_plan: false,
    })
}

/// Returns a configuration whose chain has these links: whether a pass of each counts.
fn chain(pass_counts: &[bool]) -> LoopConfig {
    let link = |(at, &pass_counts): (usize, &bool)| ChainLink {
        name: format!("reviewer {at}"),
        pass_counts,
        dialect: Dialect::Verdict,
        keeps_sessions: false,
        proves: false,
    };
    LoopConfig {
        reviewers: pass_counts.iter().enumerate().map(link).collect(),
        ..config()
    }
}

/// Runs a loop whose reviewers give these answers in turn, whichever is called.
fn run_with(
    config: LoopConfig,
    answers: impl IntoIterator<Item = Result<String, AgentError>>,
    applier: MockApplier,
) -> Ran {
    let answers: Mutex<VecDeque<_>> = Mutex::new(answers.into_iter().collect());
    let calls = Arc::new(Mutex::new(Vec::new()));
    let mut reviewer = MockReviewer::new();
    let noted = Arc::clone(&calls);
    reviewer.expect_review().returning(move |request| {
        let step = request.step.name.as_str().to_owned();
        let call = (step, request.reviewer, request.retry.is_some());
        noted.lock().unwrap().push(call);
        let next = answers.lock().unwrap().pop_front();
        next.expect("as many answers as calls").map(answer)
    });
    let (sink, clock) = (MemorySink::default(), ManualClock::default());
    let looped = builder(config, reviewer, applier)
        .events(&sink)
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &clock)).unwrap();
    let calls = calls.lock().unwrap().clone();
    Ran {
        session,
        events: sink.events(),
        calls,
        took: clock.now().since(Timestamp::UNIX_EPOCH),
    }
}

fn run(answers: impl IntoIterator<Item = Result<String, AgentError>>) -> Ran {
    run_with(config(), answers, applier(0))
}

fn offline() -> AgentError {
    error(Failure::Offline {
        after_ms: Some(60_000),
    })
}

#[test]
fn an_offline_reviewer_is_asked_again_only_where_no_other_is_left() {
    let ran = run_with(
        chain(&[true, true]),
        [Err(offline()), Ok(pass())],
        applier(0),
    );
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    let steps = [("review/review-1.1", 0), ("review/review-1.2", 1)];
    assert_eq!(ran.steps(), steps);
    assert_eq!(ran.took, Duration::ZERO);
    let answers = std::iter::repeat_with(|| Err(offline())).take(5);
    let ran = run_with(chain(&[true, true]), answers, applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::ReviewerFailed));
    let asked: Vec<_> = ran.steps().into_iter().map(|(_, at)| at).collect();
    assert_eq!(asked, [0, 1, 1, 1, 1]);
}

#[test]
fn a_transient_failure_is_waited_for_and_does_not_count_as_a_round() {
    let ran = run([Err(overloaded()), Err(overloaded()), Ok(pass())]);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ran.session.iterations.len(), 1);
    let steps = [
        "review/review-1.1",
        "review/review-1.2",
        "review/review-1.3",
    ];
    assert_eq!(ran.steps(), steps.map(|step| (step, 0)));
    let pauses: Vec<_> = ran.retried().iter().map(|call| call.pause_ms).collect();
    assert!((500..=1000).contains(&pauses[0]), "{pauses:?}");
    assert!((1000..=2000).contains(&pauses[1]), "{pauses:?}");
    assert_eq!(ran.took, Duration::from_millis(pauses.iter().sum()));
    let expected = CallRetried {
        role: AgentRole::Reviewer,
        iteration: 1,
        error: overloaded(),
        pause_ms: pauses[0],
    };
    assert_eq!(*ran.retried()[0], expected);
}

#[test]
fn the_fourth_failure_is_the_last() {
    let answers = [1, 2, 3, 4].map(|_| Err(overloaded()));
    let ran = run(answers);
    assert_eq!(ran.session.block_code, Some(BlockCode::ReviewerFailed));
    assert_eq!(ran.session.block_reason, "the reviewer failed: no luck");
    assert_eq!(ran.calls.len(), 4);
}

#[test]
fn a_rate_limit_is_waited_for_unless_it_lasts_too_long() {
    let waited = run([Err(limited(30)), Ok(pass())]);
    assert_eq!(waited.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(waited.took, Duration::from_secs(30));
    let given_up = run([Err(limited(601))]);
    assert_eq!(given_up.session.block_code, Some(BlockCode::RateLimited));
    assert_eq!(given_up.took, Duration::ZERO);
}

#[test]
fn an_unclear_failure_is_retried_at_once() {
    let ran = run([Err(hung()), Ok(pass())]);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ran.took, Duration::ZERO);
    let twice = run([Err(hung()), Err(hung())]);
    assert_eq!(twice.session.block_code, Some(BlockCode::ReviewerFailed));
}

#[test]
fn a_failing_reviewer_is_replaced_by_the_next_of_the_chain() {
    let answers = [
        Err(failure("exit status 1")),
        Ok(needs_revision()),
        Ok(pass()),
    ];
    let ran = run_with(chain(&[true, true]), answers, applier(1));
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    let expected = [
        ("review/review-1.1", 0),
        ("review/review-1.2", 1),
        ("review/review-2.1", 0),
    ];
    assert_eq!(ran.steps(), expected);
    let replaced = ran
        .events
        .iter()
        .find_map(|envelope| match &envelope.event {
            Event::ReviewerReplaced(replaced) => Some(replaced.clone()),
            _ => None,
        });
    let expected = ReviewerReplaced {
        iteration: 1,
        error: failure("exit status 1"),
        by: "reviewer 1".to_owned(),
    };
    assert_eq!(replaced, Some(expected));
}

#[test]
fn a_chain_ends_with_the_failure_of_its_last_reviewer() {
    let answers = [Err(failure("first")), Err(limited(86_400))];
    let ran = run_with(chain(&[true, true]), answers, applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::RateLimited));
    assert_eq!(ran.calls.len(), 2);
    let too_large = error(Failure::Truncated { limit: Some(1) });
    let ran = run_with(chain(&[true, true]), [Err(too_large)], applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::ReviewerFailed));
    assert_eq!(ran.calls.len(), 1);
}

#[test]
fn a_fallback_can_find_faults_but_its_pass_does_not_count() {
    let stand_in = || chain(&[true, false]);
    let down = || Err(failure("exit status 1"));
    let ran = run_with(stand_in(), [down(), Ok(pass())], applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::ReviewerFailed));
    let reason = "reviewer 1 finds no fault, but is a fallback for a reviewer that gave no answer that counts, \
                      so its pass does not count";
    assert_eq!(ran.session.block_reason, reason);
    assert_eq!(ran.session.iterations, []);
    let answers = [down(), Ok(needs_revision()), Ok(pass())];
    let ran = run_with(stand_in(), answers, applier(1));
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ran.session.iterations.len(), 2);
}

#[test]
fn a_malformed_answer_has_no_fallback_and_is_quoted_again_after_a_failure() {
    let rubbish = || Ok("rubbish".to_owned());
    let ran = run_with(chain(&[true, true]), [rubbish(), rubbish()], applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::Malformed));
    assert_eq!(
        ran.steps(),
        [("review/review-1.1", 0), ("review/review-1.2", 0)]
    );
    let ran = run([rubbish(), Err(overloaded()), Ok(pass())]);
    let shown: Vec<_> = ran.calls.iter().map(|(.., shown)| *shown).collect();
    assert_eq!(shown, [false, true, true]);
    let answers = [rubbish(), Err(failure("down")), Ok(pass())];
    let ran = run_with(chain(&[true, true]), answers, applier(0));
    assert!(!ran.calls[2].2, "another reviewer did not write it");
}

#[test]
fn an_applier_is_retried_too() {
    let mut applier = MockApplier::new();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&steps);
    applier.expect_apply().times(2).returning(move |request| {
        let mut steps = noted.lock().unwrap();
        steps.push(request.step.name.as_str().to_owned());
        if steps.len() == 1 {
            return Err(overloaded());
        }
        Ok(applied(""))
    });
    let ran = run_with(config(), [Ok(needs_revision()), Ok(pass())], applier);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(
        *steps.lock().unwrap(),
        ["review/apply-1", "review/apply-1.2"]
    );
    let retried = ran.retried();
    assert_eq!(
        (retried[0].role, retried[0].iteration),
        (AgentRole::Applier, 1)
    );
}

/// Runs a loop whose applier's edits do not fit the first `bad` times; returns the
/// retries that the applier was given.
fn run_misfits(bad: usize) -> (Ran, Vec<Option<String>>) {
    let mut applier = MockApplier::new();
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&told);
    applier.expect_apply().returning(move |request| {
        let mut told = noted.lock().unwrap();
        let retry = request.retry;
        told.push(
            retry.map(|retry| format!("{}: {} ({})", retry.field, retry.message, retry.tail)),
        );
        let malformed = (told.len() <= bad).then(|| Malformed {
            field: "edits[0].search".to_owned(),
            message: "is not in the file".to_owned(),
        });
        Ok(ApplyReport {
            malformed,
            ..applied("{edits}")
        })
    });
    let ran = run_with(config(), [Ok(needs_revision()), Ok(pass())], applier);
    let told = told.lock().unwrap().clone();
    (ran, told)
}

#[test]
fn edits_that_do_not_fit_are_requested_once_more() {
    let wrong = Some("edits[0].search: is not in the file ({edits})".to_owned());
    let (ran, told) = run_misfits(1);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(told, [None, wrong.clone()]);
    let (ran, told) = run_misfits(2);
    assert_eq!(told, [None, wrong]);
    assert_eq!(ran.session.block_code, Some(BlockCode::ApplierFailed));
    assert_eq!(
        ran.session.block_reason,
        "failed to apply feedback: no usable answer, also after 1 retry: the edits do not fit: \
         edits[0].search: is not in the file"
    );
    let malformed = ran
        .events
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::ReviewMalformed(malformed) => Some(malformed.retry_number),
            _ => None,
        });
    assert_eq!(malformed.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn every_attempt_counts_as_a_call() {
    let two = LoopConfig {
        budget: Budget {
            max_calls: Some(2),
            ..Budget::default()
        },
        ..config()
    };
    let ran = run_with(two, [Err(overloaded()), Err(overloaded())], applier(0));
    assert_eq!(ran.session.block_code, Some(BlockCode::Budget));
}

#[test]
fn a_machine_that_receives_an_unexpected_input_blocks() {
    let at = Timestamp::UNIX_EPOCH;
    let mut machine = ReviewMachine::new(config()).unwrap();
    machine.next(Input::Start { at });
    let step = StepName::new("review", 0, "pause-1");
    let turn = machine.next(Input::Waited { step, at });
    let Some(ReviewDone::Blocked { code, reason }) = turn.done else {
        panic!("it does not end");
    };
    assert_eq!(code, BlockCode::ReviewerFailed);
    let fed = "the loop received the end of the pause review/pause-1, which it did not ask for";
    assert_eq!(reason, fed);
}

#[test]
fn only_a_later_reviewer_of_a_chain_is_named_in_a_step() {
    let op = |reviewer| {
        ReviewOp::Review(ReviewArgs {
            iteration: 1,
            reviewer,
            ..ReviewArgs::default()
        })
    };
    let written = |op: &ReviewOp| serde_json::to_value(op).unwrap();
    let first = json!({"review": {"iteration": 1, "retry": null, "base": null}});
    assert_eq!(written(&op(0)), first);
    assert_eq!(serde_json::from_value::<ReviewOp>(first).unwrap(), op(0));
    let second = json!({"review": {"iteration": 1, "retry": null, "base": null, "reviewer": 1}});
    assert_eq!(written(&op(1)), second);
}

#[test]
fn runs_that_fail_at_the_same_time_do_not_retry_at_the_same_time() {
    let took = |seed: u8| {
        let mut answers = [Err(overloaded()), Ok(answer(pass()))].into_iter();
        let mut reviewer = MockReviewer::new();
        reviewer
            .expect_review()
            .returning(move |_| answers.next().expect("two answers"));
        let clock = ManualClock::default();
        let looped = builder(config(), reviewer, applier(0)).build().unwrap();
        block_on(looped.run(Seed::from_bytes([seed; 32]), &clock)).unwrap();
        clock.now()
    };
    let mut ends: Vec<_> = (0..8).map(took).collect();
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() > 4, "{ends:?}");
}
