//! Reviewers that answer over the Agent Feedback Protocol, in sessions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use review::config::ChainLink;
use review::events::{Event, FeedbackUnacknowledged};
use review::schema::Dialect;
use review::types::{AckDifference, AgentError, BlockCode, FailedBy, FinalVerdict, Usage};
use review::{MemorySink, ReviewAnswer, ReviewRequest};
use serde_json::{Value, json};

use crate::artifact::World;
use crate::support::{MockApplier, MockReviewer, answer, applied, failure, needs_revision};

/// A recorded request: session, iteration, decisions, number of rounds in the
/// history, whether it is a retry.
type Asked = (Option<String>, u32, Vec<String>, usize, bool);

fn asked(request: &ReviewRequest) -> Asked {
    let follow_up = request.follow_up.as_ref();
    let decisions = follow_up.map_or(&[][..], |follow_up| follow_up.applied_feedback.items());
    let decisions = decisions
        .iter()
        .map(|item| format!("{} {}", item.id(), item.status()));
    (
        follow_up.map(|follow_up| follow_up.session.clone()),
        follow_up.map_or(1, |follow_up| follow_up.iteration.get()),
        decisions.collect(),
        request.history.len(),
        request.retry.is_some(),
    )
}

fn first() -> Asked {
    (None, 1, Vec::new(), 0, false)
}

fn follow_up(session: &str, iteration: u32, decisions: &[&str], rounds: usize) -> Asked {
    let decisions = decisions.iter().map(|text| (*text).to_owned()).collect();
    (
        Some(session.to_owned()),
        iteration,
        decisions,
        rounds,
        false,
    )
}

/// Returns a response with these areas; a pass has none.
fn response(iteration: u32, areas: &[&str]) -> Value {
    let area =
        |id: &&str| json!({"id": id, "aspect": "API", "description": id, "recommendation": "fix"});
    json!({
        "protocol_version": "1.2",
        "iteration": iteration,
        "status": "success",
        "feedback": {
            "confidence": {"level": "high", "justification": "read"},
            "positive_points": [],
            "areas_for_improvement": areas.iter().map(area).collect::<Vec<_>>(),
            "general_summary": "short",
        },
    })
}

fn acknowledging(mut response: Value, ids: &[&str]) -> Value {
    let ack = |id: &&str| json!({"id": id, "processing_status": "acknowledged"});
    let items: Vec<_> = ids.iter().map(ack).collect();
    response["applied_feedback_ack"] = json!({ "items": items });
    response
}

fn error(iteration: u32, code: &str) -> Value {
    json!({
        "protocol_version": "1.2",
        "iteration": iteration,
        "status": "error",
        "error": {"code": code, "message": "no"},
    })
}

type ScriptedAnswer = Result<ReviewAnswer, AgentError>;

fn says(session: &str, response: &Value) -> ScriptedAnswer {
    Ok(ReviewAnswer {
        session: Some(session.to_owned()),
        ..answer(response.to_string())
    })
}

/// A loop over a reviewer of the protocol and a fallback, which both give these
/// answers in turn.
struct Protocol {
    world: World,
    sink: MemorySink,
    asked: Arc<Mutex<Vec<Asked>>>,
    block_code: Option<BlockCode>,
    verdict: FinalVerdict,
    reason: String,
}

fn link(name: &str, dialect: Dialect) -> ChainLink {
    ChainLink {
        name: name.to_owned(),
        pass_counts: true,
        keeps_sessions: dialect == Dialect::Afp,
        proves: false,
        dialect,
    }
}

fn run(said: Vec<ScriptedAnswer>) -> Protocol {
    let mut world = World::new();
    world.config.reviewers = vec![
        link("agent b", Dialect::Afp),
        link("another", Dialect::Verdict),
    ];
    world.config.max_iterations = 4;
    let mut protocol = Protocol {
        world,
        sink: MemorySink::default(),
        asked: Arc::default(),
        block_code: None,
        verdict: FinalVerdict::Running,
        reason: String::new(),
    };
    protocol.go_on(said);
    protocol
}

impl Protocol {
    fn go_on(&mut self, said: Vec<ScriptedAnswer>) {
        let mut said = VecDeque::from(said);
        let mut reviewer = MockReviewer::new();
        let asked_so_far = Arc::clone(&self.asked);
        reviewer.expect_review().returning(move |request| {
            asked_so_far.lock().unwrap().push(asked(&request));
            said.pop_front().expect("as many answers as calls")
        });
        let applier = edits(&self.world);
        let session = self.world.run_telling(&self.sink, reviewer, applier);
        self.block_code = session.block_code;
        self.verdict = session.final_verdict;
        self.reason = session.block_reason;
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

#[test]
fn a_follow_up_continues_the_session_and_reports_each_item_once() {
    let said = vec![
        says("ses_1", &response(1, &["a", "b"])),
        says("ses_1", &acknowledging(response(2, &["c"]), &["a", "b"])),
        says("ses_1", &acknowledging(response(3, &[]), &["c"])),
    ];
    let ended = run(said);
    assert_eq!(ended.verdict, FinalVerdict::Pass, "{}", ended.reason);
    assert_eq!(
        ended.asked(),
        [
            first(),
            follow_up("ses_1", 2, &["a accepted", "b partial"], 1),
            follow_up("ses_1", 3, &["c accepted"], 2),
        ]
    );
    let unacknowledged = |event: &Event| matches!(event, Event::FeedbackUnacknowledged(_));
    let events = ended.sink.events();
    assert!(
        !events
            .iter()
            .any(|envelope| unacknowledged(&envelope.event))
    );
}

#[test]
fn a_malformed_answer_repeats_its_iteration() {
    let said = vec![
        says("ses_0", &json!("nothing")),
        says("ses_1", &response(1, &["a"])),
        says("ses_1", &response(1, &["a"])),
        says("ses_1", &acknowledging(response(2, &[]), &["a"])),
    ];
    let ended = run(said);
    assert_eq!(ended.verdict, FinalVerdict::Pass, "{}", ended.reason);
    let retried = |mut asked: Asked| {
        asked.4 = true;
        asked
    };
    let second = follow_up("ses_1", 2, &["a accepted"], 1);
    assert_eq!(
        ended.asked(),
        [first(), retried(first()), second.clone(), retried(second)]
    );
}

#[test]
fn mismatching_acknowledgements_are_reported() {
    let ended = run(vec![
        says("ses_1", &response(1, &["a", "b"])),
        says("ses_1", &acknowledging(response(2, &[]), &["b", "x", "y"])),
    ]);
    assert_eq!(ended.verdict, FinalVerdict::Pass);
    let events = ended.sink.events().into_iter();
    let told: Vec<_> = events
        .filter_map(|envelope| match envelope.event {
            Event::FeedbackUnacknowledged(told) => Some(told),
            _ => None,
        })
        .collect();
    let difference = AckDifference {
        missing: 1,
        unknown: 0,
        foreign: 2,
    };
    assert_eq!(
        told,
        [FeedbackUnacknowledged {
            iteration: 2,
            difference
        }]
    );
}

#[test]
fn a_lost_session_is_replaced_by_a_new_one_with_the_history() {
    let lost = || {
        Err(AgentError::new(
            FailedBy::Protocol.into(),
            "Session not found",
        ))
    };
    let restarted: Asked = (None, 1, Vec::new(), 1, false);
    for said in [lost(), says("ses_1", &error(2, "INVALID_REQUEST"))] {
        let ended = run(vec![
            says("ses_1", &response(1, &["a"])),
            said,
            says("ses_2", &response(1, &["b"])),
            says("ses_2", &acknowledging(response(2, &[]), &["b"])),
        ]);
        assert_eq!(ended.verdict, FinalVerdict::Pass, "{}", ended.reason);
        assert_eq!(
            ended.asked(),
            [
                first(),
                follow_up("ses_1", 2, &["a accepted"], 1),
                restarted.clone(),
                follow_up("ses_2", 2, &["b partial"], 2),
            ]
        );
    }
    let ended = run(vec![
        says("ses_1", &response(1, &["a"])),
        lost(),
        lost(),
        Ok(answer(crate::support::pass())),
    ]);
    assert_eq!(ended.verdict, FinalVerdict::Pass, "the fallback is asked");
}

#[test]
fn a_reviewer_that_keeps_its_sessions_gets_their_usage() {
    let used = |input_tokens, cost_micro_usd| Usage {
        input_tokens,
        output_tokens: 1,
        cost_micro_usd,
    };
    let says = |session: &str, usage, text: String| {
        Ok(ReviewAnswer {
            session: Some(session.to_owned()),
            usage: Some(usage),
            ..answer(text)
        })
    };
    let lost = AgentError::new(FailedBy::Protocol.into(), "No conversation found");
    let mut said = VecDeque::from([
        says("s", used(10, Some(5)), needs_revision()),
        says("s", used(20, Some(6)), "nothing".to_owned()),
        says("s", used(30, None), needs_revision()),
        Err(lost),
        says("t", used(40, None), needs_revision()),
        says("t", used(50, None), crate::support::pass()),
    ]);
    for keeps_sessions in [true, false] {
        let mut world = World::new();
        world.config.reviewers = vec![ChainLink {
            keeps_sessions,
            ..link("client", Dialect::Verdict)
        }];
        world.config.max_iterations = 4;
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        let mut said = match keeps_sessions {
            true => std::mem::take(&mut said),
            false => VecDeque::from([
                says("s", used(1, None), needs_revision()),
                says("s", used(1, None), crate::support::pass()),
            ]),
        };
        let mut reviewer = MockReviewer::new();
        reviewer.expect_review().returning(move |request| {
            let follow_up = request.follow_up.map(|follow_up| {
                let iteration = follow_up.iteration.get();
                (follow_up.session, iteration, follow_up.used)
            });
            heard.lock().unwrap().push(follow_up);
            said.pop_front().expect("as many answers as calls")
        });
        let ended = world.run(reviewer, edits(&world));
        assert_eq!(
            ended.final_verdict,
            FinalVerdict::Pass,
            "{}",
            ended.block_reason
        );
        let in_session =
            |session: &str, iteration, used| Some((session.to_owned(), iteration, used));
        let total = |input_tokens, output_tokens, cost_micro_usd| {
            Some(Usage {
                input_tokens,
                output_tokens,
                cost_micro_usd,
            })
        };
        let expected = match keeps_sessions {
            true => vec![
                None,
                in_session("s", 2, total(10, 1, Some(5))),
                in_session("s", 2, total(30, 2, Some(11))),
                in_session("s", 3, total(60, 3, None)),
                None,
                in_session("t", 2, total(40, 1, None)),
            ],
            false => vec![None, None],
        };
        assert_eq!(*asked.lock().unwrap(), expected);
    }
}

/// Returns an applier that changes the spec each time.
fn edits(world: &World) -> MockApplier {
    let mut applier = MockApplier::new();
    let artifact = Arc::clone(&world.artifact);
    applier.expect_apply().returning(move |request| {
        artifact.write(
            crate::artifact::SPEC,
            format!("# Search {}\n", request.iteration),
        );
        Ok(applied(
            br#"{"id": "b", "status": "partial", "explanation": "half"}"#.to_vec(),
        ))
    });
    applier
}

#[test]
fn a_fallback_in_between_starts_a_new_session() {
    let ended = run(vec![
        says("ses_1", &response(1, &["a"])),
        Err(failure("gone")),
        Ok(answer(needs_revision())),
        says("ses_2", &response(1, &[])),
    ]);
    assert_eq!(ended.verdict, FinalVerdict::Pass, "{}", ended.reason);
    let restarted = |rounds| (None, 1, Vec::new(), rounds, false);
    assert_eq!(
        ended.asked(),
        [
            first(),
            follow_up("ses_1", 2, &["a accepted"], 1),
            restarted(1),
            restarted(2),
        ]
    );
}

#[test]
fn an_error_of_the_provider_is_permanent_or_retried_by_its_code() {
    for (code, block) in [
        ("INVALID_REQUEST", true),
        ("UNSUPPORTED_MEDIA_TYPE", true),
        ("INTERNAL_ERROR", false),
        ("SOMETHING_ELSE", false),
    ] {
        let ended = run(vec![
            says("ses_1", &error(1, code)),
            if block {
                Ok(answer(crate::support::pass()))
            } else {
                says("ses_1", &response(1, &[]))
            },
        ]);
        assert_eq!(ended.verdict, FinalVerdict::Pass, "{code}");
        assert_eq!(ended.asked()[1], first(), "{code}");
        let events = ended.sink.events();
        let replaced = |event: &Event| matches!(event, Event::ReviewerReplaced(_));
        let replaced = events.iter().any(|envelope| replaced(&envelope.event));
        assert_eq!(replaced, block, "{code}");
    }
}

#[test]
fn a_pass_needs_no_scores() {
    let passed = run(vec![says("ses_1", &response(1, &[]))]);
    assert_eq!(passed.verdict, FinalVerdict::Pass);
}

#[test]
fn a_session_survives_the_process() {
    let mut ended = run(vec![
        says("ses_1", &response(1, &["a"])),
        says("ses_1", &acknowledging(response(2, &[]), &["a"])),
    ]);
    ended.world.cut_off_in("review/review-2.1");
    ended.go_on(vec![says(
        "ses_1",
        &acknowledging(response(2, &[]), &["a"]),
    )]);
    assert_eq!(ended.verdict, FinalVerdict::Pass);
    let asked = ended.asked();
    assert_eq!(asked[1], asked[2]);
    assert_eq!(asked[2].0.as_deref(), Some("ses_1"));
}
