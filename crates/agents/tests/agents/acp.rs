//! The messages that agents of the Agent Client Protocol receive, and their answers.

use std::num::NonZeroU32;
use std::time::Duration;

use review::types::{AgentError, AppliedFeedback, Usage};
use review::{Applier, FollowUp, Reviewer};
use review_agents::{AgentContext, ApplyScope};
use review_process::Stop;
use review_test_support::acp_agent::AGENT;
use serde_json::{Value as Json, json};

use crate::acp_support::{FakeAgent, SESSION};
use crate::client_support::text;
use crate::support::{SPEC, answer, apply_request, implement_request, report, review_request};

const DONE: &str = "says '\"Done.\"'; ends end_turn";

/// The methods of the messages that an agent received; of an answer what it holds.
fn methods(received: &[Json]) -> Vec<String> {
    let method = |message: &Json| match &message["method"] {
        Json::String(method) => method.clone(),
        _ => [&message["result"]["outcome"], &message["error"]["code"]]
            .into_iter()
            .find(|one| !one.is_null())
            .map(ToString::to_string)
            .unwrap_or_default(),
    };
    received.iter().map(method).collect()
}

#[tokio::test]
async fn an_agent_is_asked_in_the_words_of_the_protocol() {
    let fake = FakeAgent::new(DONE);
    let agent = fake.agent(fake.context());
    assert_eq!(answer(&agent).await.unwrap(), "Done.");
    let received = fake.received();
    let version = env!("CARGO_PKG_VERSION");
    let root = fake.project.path("root");
    assert_eq!(
        received[..2],
        [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": 1,
                "clientCapabilities": {
                    "fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false,
                },
                "clientInfo": {"name": "ralph", "version": version},
            }}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "session/new",
                   "params": {"cwd": root, "mcpServers": []}}),
        ]
    );
    let prompt = &received[2];
    assert_eq!(prompt["method"], "session/prompt");
    assert_eq!(prompt["params"]["sessionId"], "s");
    let block = &prompt["params"]["prompt"][0];
    assert_eq!(block["type"], "text");
    assert!(
        block["text"].as_str().unwrap().contains("# Demo"),
        "{block}"
    );
    assert_eq!(received.len(), 3);
}

#[tokio::test]
async fn an_answer_names_its_session_its_model_and_what_it_consumed() {
    let session =
        r#"{"sessionId":"s","configOptions":[{"id":"m","category":"model","currentValue":"big"}]}"#;
    let cost = |usd: &str| {
        format!(
            "update '{{\"sessionUpdate\":\"usage_update\",\"used\":1,\"cost\":{{\"amount\":{usd},\"currency\":\"USD\"}}}}'"
        )
    };
    let turn = format!("{}; {}; {DONE}", cost("0.5"), cost("0.75"));
    let fake = FakeAgent::with(AGENT, session, &turn);
    let review = fake.agent(fake.context()).review(review_request()).await;
    let review = review.unwrap();
    assert_eq!(review.session.as_deref(), Some("s"));
    assert_eq!(review.by.backend, "acp");
    assert_eq!(review.by.model.as_deref(), Some("big"));
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 20,
        cost_micro_usd: Some(750_000),
    };
    assert_eq!(review.usage, Some(usage));
    let sent = review.sent.unwrap().read.unwrap();
    assert_eq!(sent.bytes, sent.read);
}

#[tokio::test]
async fn a_cost_counts_that_is_told_without_tokens_and_of_a_turn_that_ends_early() {
    let cost = r#"update '{"sessionUpdate":"usage_update","used":1,"cost":{"amount":0.25,"currency":"USD"}}'"#;
    let usage = Some(Usage {
        input_tokens: 0,
        output_tokens: 0,
        cost_micro_usd: Some(250_000),
    });
    let turn =
        format!("{cost}; says '\"Done.\"'; id=$prompt; answer '{{\"stopReason\":\"end_turn\"}}'");
    let fake = FakeAgent::new(&turn);
    let review = fake.agent(fake.context()).review(review_request()).await;
    assert_eq!(review.unwrap().usage, usage);
    let fake = FakeAgent::new(&format!("{cost}; exit 1"));
    let error = answer(&fake.agent(fake.context())).await.unwrap_err();
    assert_eq!(error.usage, usage);
}

#[tokio::test]
async fn a_review_goes_on_in_its_session_where_the_agent_can_load_it() {
    let no_loading = AGENT.replace("true", "false");
    let history = r#"update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"before"}}'"#;
    for (agent, opened, asked, session) in [
        (AGENT, "{}", "session/load", "s-1"),
        (&no_loading, SESSION, "session/new", "s"),
    ] {
        // What is reported of the session before it is loaded is not part of the answer.
        let agent = format!("{agent}'\nsession={session}\n{history}\n: '");
        let fake = FakeAgent::with(&agent, opened, DONE);
        let mut request = review_request();
        request.follow_up = Some(follow_up("s-1"));
        let review = fake.agent(fake.context()).review(request).await.unwrap();
        assert_eq!(review.session.as_deref(), Some(session), "{asked}");
        assert_eq!(text(review), "Done.");
        let received = fake.received();
        assert_eq!(received[1]["method"], asked);
    }
}

#[tokio::test]
async fn an_answer_has_nothing_of_another_session_or_of_an_earlier_turn() {
    let user = r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"And?"}}"#;
    let earlier = format!("says '\"Earlier.\"'; update '{user}'");
    let elsewhere = "session=t; says '\"Elsewhere.\"'; session=s";
    for turn in [
        format!("{earlier}; {DONE}"),
        format!("{elsewhere}; {DONE}"),
        format!("says '\"Do\"'; {elsewhere}; says '\"ne.\"'; ends end_turn"),
    ] {
        let fake = FakeAgent::new(&turn);
        let agent = fake.agent(fake.context());
        assert_eq!(answer(&agent).await.unwrap(), "Done.", "{turn}");
    }
}

fn follow_up(session: &str) -> FollowUp {
    FollowUp {
        session: session.to_owned(),
        iteration: NonZeroU32::MIN,
        applied_feedback: AppliedFeedback::default(),
        used: None,
    }
}

const MODES: &str = r#"{"sessionId":"s","modes":{"currentModeId":"default","availableModes":[{"id":"default"},{"id":"plan"},{"id":"acceptEdits"},{"id":"yolo"}]}}"#;
const OPTIONS: &str = r#"{"sessionId":"s","configOptions":[{"id":"mode-1","category":"mode","currentValue":"build","options":[{"value":"build"},{"value":"plan"}]}]}"#;

#[tokio::test]
async fn a_reviewer_is_asked_to_plan_and_others_to_edit_where_an_agent_has_such_modes() {
    let mode = |method: &str, params: Json| Some(json!([method, params]));
    let set = |mode_id: &str| {
        mode(
            "session/set_mode",
            json!({"sessionId": "s", "modeId": mode_id}),
        )
    };
    let option = json!({"sessionId": "s", "configId": "mode-1", "value": "plan"});
    for (session, reviews, expected) in [
        (MODES, true, set("plan")),
        (MODES, false, set("acceptEdits")),
        (OPTIONS, true, mode("session/set_config_option", option)),
        (OPTIONS, false, None),
        (SESSION, true, None),
    ] {
        let fake = FakeAgent::with(AGENT, session, DONE);
        let agent = fake.agent(fake.context());
        match reviews {
            true => drop(answer(&agent).await.unwrap()),
            false => drop(report(&agent).await.unwrap()),
        }
        let received = fake.received();
        let told = &received[2];
        let found = json!([told["method"], told["params"]]);
        let found = (told["method"] != "session/prompt").then_some(found);
        assert_eq!(found, expected, "{session} {reviews}");
    }
}

/// Has an agent ask whether it may change a file, and change it if it may.
fn asks(kind: &str, path: &str) -> String {
    format!("asks {kind} \"$PWD/{path}\" && echo changed > {path}; {DONE}")
}

#[tokio::test]
async fn an_applier_may_edit_what_is_in_its_scope_and_nothing_else() {
    let yes = r#"{"optionId":"yes","outcome":"selected"}"#;
    let no = r#"{"optionId":"no","outcome":"selected"}"#;
    for (scope, kind, path, is_allowed) in [
        (ApplyScope::Artifact, "edit", SPEC, true),
        (ApplyScope::Artifact, "edit", "other.md", false),
        (ApplyScope::Artifact, "execute", SPEC, false),
        (
            ApplyScope::Artifact,
            "edit",
            "specs/../specs/DEMO.md",
            false,
        ),
        (ApplyScope::Root, "edit", "other.md", true),
    ] {
        let fake = FakeAgent::new(&asks(kind, path));
        fake.project.write("other.md", "as it was\n");
        let before = fake.project.read(path);
        let context = AgentContext {
            apply_scope: scope,
            ..fake.context()
        };
        let applied = fake.agent(context).apply(apply_request()).await.unwrap();
        assert_eq!(applied.out_of_scope, [], "{kind} {path}");
        let outcome = if is_allowed { yes } else { no };
        assert_eq!(methods(&fake.received())[3], outcome, "{kind} {path}");
        let after = if is_allowed { "changed\n" } else { &before };
        assert_eq!(fake.project.read(path), after, "{kind} {path}");
    }
}

#[tokio::test]
async fn what_an_applier_changes_without_asking_is_restored_outside_its_scope() {
    let fake = FakeAgent::new(&format!("echo changed > other.md; {DONE}"));
    fake.project.write("other.md", "as it was\n");
    let agent = fake.agent(fake.context());
    let applied = agent.apply(apply_request()).await.unwrap();
    let paths: Vec<_> = applied.out_of_scope.iter().map(|one| &*one.path).collect();
    assert_eq!(paths, ["other.md"]);
    assert_eq!(fake.project.read("other.md"), "as it was\n");
}

#[tokio::test]
async fn an_implementer_may_do_all_that_it_asks_for_once() {
    let turn = format!("{}; {}", asks("execute", "a.txt"), asks("delete", "b.txt"));
    let fake = FakeAgent::new(&turn.replacen(DONE, ":", 1));
    let agent = fake.agent(fake.context());
    agent.implement(implement_request()).await.unwrap();
    let yes = r#"{"optionId":"yes","outcome":"selected"}"#;
    assert_eq!(methods(&fake.received())[3..], [yes, yes]);
    assert_eq!(fake.project.read("a.txt"), "changed\n");
}

#[tokio::test]
async fn files_and_terminals_are_not_offered() {
    let fake = FakeAgent::new(&format!(
        "requests fs/write_text_file; requests terminal/create; {DONE}"
    ));
    let agent = fake.agent(fake.context());
    assert_eq!(answer(&agent).await.unwrap(), "Done.");
    assert_eq!(methods(&fake.received())[3..], ["-32601", "-32601"]);
}

/// The failure of a review whose agent answers nothing after its prompt, but reads on.
async fn silent(fake: &FakeAgent, context: AgentContext) -> (AgentError, Vec<String>) {
    let error = fake.agent(context).review(review_request()).await;
    (error.unwrap_err(), methods(&fake.received()))
}

const READS_ON: &str = "while receive; do :; done";
const CANCELLED: [&str; 4] = [
    "initialize",
    "session/new",
    "session/prompt",
    "session/cancel",
];

#[tokio::test]
async fn an_agent_is_told_to_cancel_at_a_limit() {
    let fake = FakeAgent::new(READS_ON);
    let mut context = fake.context();
    context.limits.idle = Some(Duration::from_millis(500));
    let (error, received) = silent(&fake, context).await;
    let hung = json!({"outcome": "hung", "limit": "idle", "after_ms": 500});
    assert_eq!(serde_json::to_value(&error.failure).unwrap(), hung);
    assert!(
        error
            .message
            .starts_with("`acp:./agent` said nothing for 500ms")
    );
    assert_eq!(error.session.as_deref(), Some("s"));
    assert_eq!(received, CANCELLED);
}

#[tokio::test]
async fn what_is_answered_after_a_cancellation_does_not_count_but_was_consumed() {
    let fake = FakeAgent::new("says '\"Do\"'; receive; says '\"ne.\"'; ends end_turn");
    let mut context = fake.context();
    context.limits.idle = Some(Duration::from_millis(500));
    let (error, received) = silent(&fake, context).await;
    let hung = json!({"outcome": "hung", "limit": "idle", "after_ms": 500});
    assert_eq!(serde_json::to_value(&error.failure).unwrap(), hung);
    let usage = error.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (100, 20));
    assert_eq!(received, CANCELLED);
}

#[tokio::test]
async fn an_agent_is_told_to_cancel_when_the_run_stops() {
    let fake = FakeAgent::new(&format!("touch begun; {READS_ON}"));
    let stops = async {
        while !fake.project.has_started() {
            tokio::task::yield_now().await;
        }
        fake.project.stopper.send_replace(Stop::Stop);
    };
    let ((error, received), ()) = tokio::join!(silent(&fake, fake.context()), stops);
    let killed = json!({"outcome": "failed", "by": {"signal": 15}});
    assert_eq!(serde_json::to_value(&error.failure).unwrap(), killed);
    assert_eq!(received, CANCELLED);
}

#[tokio::test]
async fn a_call_that_gives_no_answer_says_why() {
    let newer = AGENT.replace("\"protocolVersion\":1", "\"protocolVersion\":2");
    let protocol = json!({"outcome": "failed", "by": "protocol"});
    for (agent, session, turn, failure, said) in [
        (
            newer.as_str(),
            SESSION,
            DONE,
            protocol.clone(),
            "completes an answer: it speaks version 2 of the protocol, not 1",
        ),
        (
            AGENT,
            "{}",
            DONE,
            protocol.clone(),
            "completes an answer: it opened no session",
        ),
        (
            AGENT,
            SESSION,
            "ends cancelled",
            protocol.clone(),
            "completes an answer: its turn ended as \"cancelled\"",
        ),
        (
            AGENT,
            SESSION,
            "ends later",
            protocol.clone(),
            "completes an answer: its turn ended as \"later\"",
        ),
        (
            AGENT,
            SESSION,
            "echo 'out of memory' >&2; exit 1",
            protocol,
            "its standard error ended with:\nout of memory",
        ),
        (
            AGENT,
            SESSION,
            "fails -32000 'Authentication required'",
            json!({"outcome": "auth_failed"}),
            "log in with the agent itself, or name its key in `agent.pass_env`; \
             it said: Authentication required",
        ),
    ] {
        let fake = FakeAgent::with(agent, session, turn);
        let error = answer(&fake.agent(fake.context())).await.unwrap_err();
        assert_eq!(
            serde_json::to_value(&error.failure).unwrap(),
            failure,
            "{said}"
        );
        assert!(error.message.contains(said), "{}", error.message);
    }
}

#[tokio::test]
async fn a_secret_in_pieces_is_neither_logged_nor_answered() {
    let turn = "says '\"The key: k3y-of\"'; says '\"-the-eels\"'; ends end_turn; exit 1";
    let fake = FakeAgent::new(turn);
    let mut context = fake.context();
    context.redactor = review_process::Redactor::new(["k3y-of-the-eels"]);
    answer(&fake.agent(context)).await.unwrap_err();
    let logs = fake.project.logs();
    let log = &logs["review.review-2.1-1.stdout"];
    assert!(log.contains("The key: [redacted]"), "{log}");
    assert!(!log.contains("k3y-of"), "{log}");
}

#[tokio::test]
async fn an_agent_on_another_host_gets_no_files() {
    let fake = FakeAgent::new(DONE);
    let file = fake.project.path("programs/agent");
    std::fs::rename(file, fake.project.path("programs/ssh")).unwrap();
    let context = std::sync::Arc::new(fake.context());
    let backend: review_agents::Backend = "acp:./ssh build1 agent".parse().unwrap();
    assert!(!backend.has_tools());
    let review_agents::Backend::Acp(line) = backend.clone() else {
        panic!("{backend}")
    };
    let agent = review_agents::AcpAgent::new(line, std::sync::Arc::clone(&context));
    let agent = crate::support::in_roles(agent, backend, &context);
    assert_eq!(answer(&agent).await.unwrap(), "Done.");
    assert_eq!(fake.received()[1]["params"]["cwd"], "/tmp");
    // It answers with the edits that are to be made.
    let edits = json!({"edits": [{"path": SPEC, "content": "# New\n"}]});
    let turn = format!("says '{}'; ends end_turn", json!(edits.to_string()));
    let program = review_test_support::acp_agent::program(AGENT, SESSION, &turn);
    review_test_support::program::write_program(&fake.project.path("programs/ssh"), &program);
    report(&agent).await.unwrap();
    assert_eq!(fake.project.read(SPEC), "# New\n");
}
