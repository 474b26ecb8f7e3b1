//! What a client consumes, where it says so in a file of its own.

use std::sync::Arc;

use review::types::{AgentError, AppliedFeedback, Failure, Iteration, Usage};
use review::{Allowance, FollowUp, ReviewAnswer, Reviewer};
use review_agents::{AgentContext, Calls, Client, Player, Recorder};
use review_flow::Seed;

use crate::client_support::Fake;
use crate::support::review_request;

/// A codex that counts 110 tokens with its first answer and 220 with the second.
const COUNTING: &str = r#"day="$HOME/.codex/sessions/2026/11/22"; mkdir -p "$day"
count() { printf '{"payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%s,"output_tokens":%s}}}}\n' $1 $2 >> "$day/rollout-x-th-1.jsonl"; }
echo '{"type":"thread.started","thread_id":"th-1"}'
count 100 10
echo '{"type":"item.completed","item":{"id":"a","type":"command_execution","exit_code":0}}'
count 200 20
echo '{"type":"item.started","item":{"id":"b","type":"command_execution"}}'
"#;

const ANSWER: &str = r#"echo '{"type":"item.completed","item":{"id":"c","type":"agent_message","text":"{}"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":290,"output_tokens":30}}'"#;

fn codex(end: &str) -> Fake {
    Fake::new(Client::Codex, &format!("{COUNTING}{end}"))
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage {
        input_tokens,
        output_tokens,
        cost_micro_usd: None,
    }
}

/// Asks for a review that may consume this many tokens, in a session that had
/// consumed what was `used`.
async fn review(
    fake: &Fake,
    context: AgentContext,
    tokens: Option<u64>,
    used: Option<Usage>,
) -> Result<ReviewAnswer, AgentError> {
    let follow_up = used.map(|used| FollowUp {
        session: "th-1".to_owned(),
        iteration: Iteration::FIRST,
        applied_feedback: AppliedFeedback::default(),
        used: Some(used),
    });
    let mut request = review_request();
    request.allowance = Allowance { tokens, cost: None };
    request.follow_up = follow_up;

    fake.agent(context, None).review(request).await
}

#[tokio::test]
async fn a_codex_that_has_consumed_too_much_is_ended_before_it_answers() {
    let fake = codex("exec tail -f /dev/null");
    let error = review(&fake, fake.context(), Some(219), None).await;
    let error = error.unwrap_err();
    assert_eq!(error.failure, Failure::ProtocolError);
    assert_eq!(error.usage, Some(usage(200, 20)));
}

#[tokio::test]
async fn what_a_session_had_consumed_before_does_not_count() {
    for (tokens, used, consumed) in [
        (Some(220), None, usage(290, 30)),
        (Some(120), Some(usage(95, 5)), usage(195, 25)),
        (None, None, usage(290, 30)),
    ] {
        let fake = codex(ANSWER);
        let answer = review(&fake, fake.context(), tokens, used).await;
        assert_eq!(answer.unwrap().usage, Some(consumed), "{tokens:?}");
    }
    let fake = codex("exec tail -f /dev/null");
    let used = Some(usage(95, 5));
    let error = review(&fake, fake.context(), Some(119), used).await;
    assert_eq!(error.unwrap_err().usage, Some(usage(105, 15)));
}

#[tokio::test]
async fn what_was_counted_last_is_known_of_a_codex_that_failed() {
    for end in ["count 300 30; exit 3", "printf '{'; count 300 30; exit 3"] {
        let fake = codex(end);
        let error = review(&fake, fake.context(), None, None).await;
        assert_eq!(error.unwrap_err().usage, Some(usage(300, 30)), "{end}");
    }
}

#[tokio::test]
async fn what_was_counted_is_in_the_recording() {
    for (end, tokens, counted) in [
        ("exec tail -f /dev/null", Some(219), (200, 20)),
        ("count 300 30; exit 3", None, (300, 30)),
    ] {
        let fake = codex(end);
        let folder = fake.project.path("kept");
        let recorder = Recorder::create(&folder, Seed::from_bytes([7; 32])).unwrap();
        let with = |calls| AgentContext {
            calls: Arc::new(calls),
            ..fake.context()
        };
        let recorded = review(&fake, with(Calls::Recorded(recorder)), tokens, None).await;
        let file = folder.join("001-review.review-2.1-1.stdout");
        let kept = std::fs::read_to_string(file).unwrap();
        let (input, output) = counted;
        let last = format!(
            r#"{{"type":"token_count","usage":{{"cache_write_input_tokens":0,"cached_input_tokens":0,"input_tokens":{input},"output_tokens":{output}}}}}"#
        );
        assert!(kept.lines().any(|line| line == last), "{kept}");
        let session = "home/.codex/sessions/2026/11/22/rollout-x-th-1.jsonl";
        let more = r#"{"payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":900}}}}"#;
        std::fs::write(fake.project.path(session), format!("{more}\n")).unwrap();
        let player = Player::open(&folder).unwrap();
        let played = review(&fake, with(Calls::Replayed(player)), tokens, None).await;
        assert_eq!(played.unwrap_err(), recorded.unwrap_err(), "{end}");
    }
}

/// A gemini that goes on in a session, in which 900 tokens were consumed before;
/// its first message consumes 110 and the second as many.
const GEMINI: &str = r#"chats="$HOME/.gemini/tmp/demo/chats"; mkdir -p "$chats"
count() { printf '{"id":"%s","timestamp":"2026-11-23T03:%s.000Z","type":"gemini","tokens":{"input":%s,"output":%s,"thoughts":2},"model":"m-1"}\n' $2 $3 $4 $5 >> "$chats/session-2026-11-23T03-$1-01234567.jsonl"; }
count 30 m-0 30:05 800 98
echo '{"type":"init","timestamp":"2026-11-23T03:34:00.000Z","session_id":"01234567-89ab","model":"auto"}'
count 30 m-1 34:01 100 8
count 30 m-1 34:01 100 8
echo '{"type":"tool_use","tool_name":"glob","tool_id":"g-1"}'
count 30 m-2 34:02 100 8
echo '{"type":"tool_result","tool_id":"g-1","status":"success"}'
"#;

fn gemini(end: &str) -> Fake {
    Fake::new(Client::Gemini, &format!("{GEMINI}{end}"))
}

#[tokio::test]
async fn a_gemini_that_has_consumed_too_much_is_ended_before_it_answers() {
    let fake = gemini("exec tail -f /dev/null");
    let error = review(&fake, fake.context(), Some(219), Some(usage(800, 100))).await;
    let error = error.unwrap_err();
    assert_eq!(error.failure, Failure::ProtocolError);
    assert_eq!(error.usage, Some(usage(200, 20)));
    assert_eq!(error.session.as_deref(), Some("01234567-89ab"));
}

#[tokio::test]
async fn the_end_of_a_gemini_counts_what_its_session_does_not() {
    let result = |status, input, output| {
        format!(
            r#"echo '{{"type":"result","status":"{status}","error":{{"message":"no"}},"stats":{{"models":{{"m-1":{{"input_tokens":{input},"output_tokens":{output}}}}}}}}}'"#
        )
    };
    for (end, expected) in [
        (
            result("success", 290, 30).replace(r#""error":{"message":"no"},"#, ""),
            usage(290, 30),
        ),
        (result("error", 290, 30), usage(290, 30)),
        (result("error", 0, 0), usage(200, 20)),
        ("exit 3".to_owned(), usage(200, 20)),
    ] {
        let said = r#"echo '{"type":"message","role":"assistant","content":"{}"}'"#;
        let fake = gemini(&format!("{said}\n{end}"));
        let consumed = match review(&fake, fake.context(), None, None).await {
            Ok(answer) => answer.usage,
            Err(error) => error.usage,
        };
        assert_eq!(consumed, Some(expected), "{end}");
    }
}

#[tokio::test]
async fn what_a_gemini_counted_is_in_the_recording() {
    let fake = gemini("exec tail -f /dev/null");
    let folder = fake.project.path("kept");
    let recorder = Recorder::create(&folder, Seed::from_bytes([7; 32])).unwrap();
    let with = |calls| AgentContext {
        calls: Arc::new(calls),
        ..fake.context()
    };
    let recorded = review(&fake, with(Calls::Recorded(recorder)), Some(219), None).await;
    std::fs::remove_dir_all(fake.project.path("home/.gemini")).unwrap();
    let player = Player::open(&folder).unwrap();
    let played = review(&fake, with(Calls::Replayed(player)), Some(219), None).await;
    let error = played.unwrap_err();
    assert_eq!(error.usage, Some(usage(200, 20)));
    assert_eq!(error, recorded.unwrap_err());
}
