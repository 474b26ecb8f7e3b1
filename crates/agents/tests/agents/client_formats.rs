//! Clients whose version does not know the format that they are asked for.

use std::sync::Arc;

use review::Reviewer as _;
use review::types::Failure;
use review_agents::{AgentContext, Calls, Client, Player, Recorder};
use review_flow::Seed;

use crate::client_support::{Fake, play, text};
use crate::support::review_request;

const PASS: &str = r#"{"verdict": "pass", "score": 90}"#;

/// A gemini that refuses to print events, and then does something else.
fn older(then: &str) -> Fake {
    let refuses = play(Client::Gemini, "unknown-format");
    let script = format!(
        "echo \"$2\" >> \"$HOME/formats\"\nif [ \"$2\" = stream-json ]; then\n{refuses}\nfi\n{then}"
    );
    Fake::new(Client::Gemini, &script)
}

/// The formats that it was asked for.
fn formats(fake: &Fake) -> Vec<String> {
    fake.given("formats").lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_older_gemini_is_asked_for_one_object_from_then_on() {
    let fake = older(&play(Client::Gemini, "object-answer"));
    let agent = fake.agent(fake.context(), None);
    for asked in [
        &["stream-json", "json"][..],
        &["stream-json", "json", "json"],
    ] {
        let answer = agent.review(review_request()).await.unwrap();
        assert_eq!(answer.session.as_deref(), Some("9e-1"));
        assert_eq!(answer.usage.unwrap().input_tokens, 115);
        assert_eq!(text(answer), PASS);
        assert_eq!(formats(&fake), asked);
        assert!(fake.given("stdin").contains("# Demo"));
    }
}

#[tokio::test]
async fn only_a_format_that_is_refused_is_not_asked_for_again() {
    for (case, asked) in [
        ("unknown-format", &["stream-json", "json"][..]),
        ("object-status-500", &["stream-json", "json"]),
    ] {
        let fake = older(&play(Client::Gemini, case));
        fake.review().await.unwrap_err();
        assert_eq!(formats(&fake), asked, "{case}");
    }
    let keep = "echo \"$2\" >> \"$HOME/formats\"\n";
    for case in ["unknown-session", "status-500", "answer"] {
        let script = format!("{keep}{}", play(Client::Gemini, case));
        let fake = Fake::new(Client::Gemini, &script);
        drop(fake.review().await);
        assert_eq!(formats(&fake), ["stream-json"], "{case}");
    }
}

#[tokio::test]
async fn a_refused_format_is_in_the_recording() {
    let fake = older(&play(Client::Gemini, "object-answer"));
    let folder = fake.project.path("kept");
    let recorder = Recorder::create(&folder, Seed::from_bytes([7; 32])).unwrap();
    let with = |calls| AgentContext {
        calls: Arc::new(calls),
        ..fake.context()
    };
    let recorded = fake.review_in(with(Calls::Recorded(recorder)), None).await;
    let player = Player::open(&folder).unwrap();
    let played = fake.review_in(with(Calls::Replayed(player)), None).await;
    assert_eq!(formats(&fake), ["stream-json", "json"]);
    assert_eq!(text(played.unwrap()), text(recorded.unwrap()));
}

#[tokio::test]
async fn a_client_that_knows_neither_format_gives_no_answer() {
    let fake = older(&play(Client::Gemini, "unknown-format"));
    let error = fake.review().await.unwrap_err();
    assert_eq!(error.failure, Failure::ProtocolError);
    let said = "it said: Argument: output-format, Given: \"stream-json\"";
    assert!(error.message.contains(said), "{error}");
}
