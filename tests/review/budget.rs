//! Limits on what the calls of a loop may consume.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use review::config::LoopConfig;
use review::events::{AgentRole, CallEnded, Event};
use review::flow::ManualClock;
use review::types::{
    AgentError, BlockCode, FailedBy, Failure, FinalVerdict, ModelId, ReviewSession, Usage, Usd,
};
use review::{Allowance, ApplyReport, Budget, MemorySink, ReviewAnswer};

use crate::support::{
    MockApplier, MockReviewer, SEED, answer, block_on, builder, config, needs_revision, pass,
};

/// The tokens of a call, and its cost in millionths of a dollar.
fn used(tokens: u64, cost: Option<u64>) -> Option<Usage> {
    Some(Usage {
        input_tokens: tokens - 1,
        output_tokens: 1,
        cost_micro_usd: cost,
    })
}

fn budget(tokens: Option<u64>, cost: Option<u64>) -> LoopConfig {
    LoopConfig {
        budget: Budget {
            max_calls: None,
            max_tokens: tokens.and_then(NonZeroU64::new),
            max_cost: cost.map(Usd::from_micro),
        },
        ..config()
    }
}

fn by() -> ModelId {
    ModelId {
        backend: "script".to_owned(),
        model: Some("m-1".to_owned()),
        prompt: None,
    }
}

fn consuming(text: String, usage: Option<Usage>) -> Result<ReviewAnswer, AgentError> {
    Ok(ReviewAnswer {
        by: by(),
        usage,
        ..answer(text)
    })
}

fn failing(failure: Failure, usage: Option<Usage>) -> Result<ReviewAnswer, AgentError> {
    Err(AgentError {
        usage,
        ..AgentError::new(failure, "no luck")
    })
}

/// A loop that ended, the allowance of each call, and the reported calls.
struct Ran {
    session: ReviewSession,
    allowed: Vec<Allowance>,
    ended: Vec<CallEnded>,
}

/// Runs a loop with a reviewer that gives these answers and an applier that consumes
/// `applied` each time.
fn run(
    config: LoopConfig,
    answers: Vec<Result<ReviewAnswer, AgentError>>,
    applied: Option<Usage>,
) -> Ran {
    let answers = Mutex::new(answers.into_iter());
    let allowed = Arc::new(Mutex::new(Vec::new()));
    let (mut reviewer, mut applier) = (MockReviewer::new(), MockApplier::new());
    let noted = Arc::clone(&allowed);
    reviewer.expect_review().returning(move |request| {
        noted.lock().unwrap().push(request.allowance);
        answers
            .lock()
            .unwrap()
            .next()
            .expect("as many answers as calls")
    });
    let noted = Arc::clone(&allowed);
    applier.expect_apply().returning(move |request| {
        noted.lock().unwrap().push(request.allowance);
        Ok(ApplyReport {
            by: by(),
            usage: applied,
            ..ApplyReport::done()
        })
    });
    let (sink, clock) = (MemorySink::default(), ManualClock::default());
    let looped = builder(config, reviewer, applier)
        .events(&sink)
        .build()
        .unwrap();
    let session = block_on(looped.run(SEED, &clock)).unwrap();
    let ended = sink
        .events()
        .into_iter()
        .filter_map(|event| match event.event {
            Event::CallEnded(ended) => Some(ended),
            _ => None,
        });
    Ran {
        session,
        ended: ended.collect(),
        allowed: allowed.lock().unwrap().clone(),
    }
}

fn blocked(ran: &Ran) -> (Option<BlockCode>, &str) {
    (ran.session.block_code, &ran.session.block_reason)
}

#[test]
fn a_call_may_consume_what_earlier_calls_left() {
    let answers = vec![
        consuming(needs_revision(), used(60, Some(20))),
        consuming(pass(), used(10, Some(1))),
    ];
    let ran = run(budget(Some(100), Some(50)), answers, used(30, Some(25)));
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    let left = |tokens, cost| Allowance {
        tokens: Some(tokens),
        cost: Some(Usd::from_micro(cost)),
    };
    assert_eq!(ran.allowed, [left(100, 50), left(40, 30), left(10, 5)]);
    let called = |role, iteration, usage| CallEnded {
        role,
        iteration,
        by: Some(by()),
        usage,
        task: None,
        took_ms: 0,
    };
    let ended = [
        called(AgentRole::Reviewer, 1, used(60, Some(20))),
        called(AgentRole::Applier, 1, used(30, Some(25))),
        called(AgentRole::Reviewer, 2, used(10, Some(1))),
    ];
    assert_eq!(ran.ended, ended);
}

#[test]
fn no_call_is_made_once_a_limit_is_used_up() {
    let answers = || vec![consuming(needs_revision(), used(60, Some(50)))];
    let ran = run(budget(None, Some(50)), answers(), None);
    let reason = "the run's limit of $0.00005 is used up: $0.00005";
    assert_eq!(blocked(&ran), (Some(BlockCode::Budget), reason));
    assert_eq!(ran.allowed.len(), 1);
    let ran = run(budget(Some(60), None), answers(), None);
    let reason = "the run's limit of 60 tokens is used up: 60";
    assert_eq!(blocked(&ran), (Some(BlockCode::Budget), reason));
    let passing = vec![consuming(pass(), used(99, Some(99)))];
    let ran = run(budget(Some(60), Some(50)), passing, None);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
}

#[test]
fn an_unknown_cost_ends_only_a_run_with_a_cost_limit() {
    let answers = || {
        vec![
            consuming(needs_revision(), used(60, None)),
            consuming(pass(), None),
        ]
    };
    let ran = run(budget(None, Some(50)), answers(), used(5, Some(1)));
    let reason = "the cost of a call is unknown, so the limit of $0.00005 cannot be kept";
    assert_eq!(blocked(&ran), (Some(BlockCode::Budget), reason));
    let ran = run(budget(Some(1000), None), answers(), used(5, None));
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    let ran = run(budget(Some(1000), None), answers(), None);
    let reason = "the tokens of a call are unknown, so the limit of 1000 tokens cannot be kept";
    assert_eq!(blocked(&ran), (Some(BlockCode::Budget), reason));
    let ran = run(config(), answers(), None);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ran.ended[1].usage, None);
}

#[test]
fn a_failed_call_costs_what_it_reports_and_nothing_if_no_model_was_reached() {
    let limited = || {
        failing(
            Failure::RateLimited {
                retry_at: None,
                of_plan: false,
            },
            None,
        )
    };
    let answers = vec![limited(), consuming(pass(), used(1, Some(1)))];
    let ran = run(budget(Some(9), Some(9)), answers, None);
    assert_eq!(ran.session.final_verdict, FinalVerdict::Pass);
    assert_eq!(ran.ended.len(), 1);
    let answers = vec![
        failing(FailedBy::Silence.into(), None),
        consuming(pass(), None),
    ];
    let ran = run(budget(None, Some(9)), answers, None);
    assert_eq!(ran.session.block_code, Some(BlockCode::Budget));
    let answers = vec![
        failing(FailedBy::Silence.into(), used(5, Some(9))),
        consuming(pass(), None),
    ];
    let ran = run(budget(None, Some(9)), answers, None);
    assert_eq!(ran.session.block_code, Some(BlockCode::Budget));
    assert_eq!((ran.allowed.len(), ran.ended[0].by.clone()), (1, None));
}

#[test]
fn a_call_over_its_cost_allowance_ends_the_run() {
    let spent = |usage| vec![failing(FailedBy::Protocol.into(), usage)];
    let ran = run(budget(Some(10), None), spent(used(11, None)), None);
    assert_eq!(ran.session.block_code, Some(BlockCode::Budget));
    let ran = run(budget(None, Some(5)), spent(used(1, Some(6))), None);
    assert_eq!(ran.session.block_code, Some(BlockCode::Budget));
    let ran = run(budget(Some(10), Some(5)), spent(used(10, Some(5))), None);
    assert_eq!(ran.session.block_code, Some(BlockCode::ReviewerFailed));
}
