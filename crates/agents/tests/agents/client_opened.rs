//! What clients open of the files that their prompt names.

use std::ops::Range;
use std::sync::Arc;

use review::Allowance;
use review::events::AgentRole;
use review::prompt::{OpenedFile, OpenedText};
use review::types::LineRange;
use review_agents::{Access, Agent, AgentCall, Client, ClientAgent, Prompt};
use serde_json::{Value as Json, json};

use crate::client_support::Fake;
use crate::support::{SPEC, checkout, review_request};

/// A specification of a hundred lines.
fn spec() -> String {
    let lines = (1..=50).map(|n| format!("- The limit of zone {n} is {} requests.\n\n", n * 7));
    lines.collect()
}

/// Lines of a text as a client prints them after it read them.
fn shown(client: Client, text: &str, lines: Range<usize>) -> String {
    let lines = text.lines().zip(1..).skip(lines.start).take(lines.len());
    lines
        .map(|(line, number)| match client {
            Client::Claude => format!("{number:>6}\t{line}\n"),
            Client::Opencode => format!("{number}: {line}\n"),
            Client::Codex | Client::Gemini => format!("{line}\n"),
        })
        .collect()
}

/// What a client prints that reads a file with this result, and answers.
fn printed(client: Client, path: &str, text: &str) -> Vec<Json> {
    match client {
        Client::Claude => vec![
            json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}),
            json!({"type": "assistant", "message": {"id": "m", "content": [
                {"type": "tool_use", "id": "a", "name": "Read", "input": {"file_path": path}}]}}),
            json!({"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": "a", "content": text}]}}),
            json!({"type": "result", "subtype": "success", "is_error": false, "result": "{}",
                "stop_reason": "end_turn", "session_id": "s"}),
        ],
        Client::Codex => vec![
            json!({"type": "thread.started", "thread_id": "t"}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "command_execution",
                "command": format!("sed -n 1,50p {path}"), "aggregated_output": text,
                "exit_code": 0, "status": "completed"}}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message",
                "text": "{}"}}),
            json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}),
        ],
        Client::Gemini => vec![
            json!({"type": "init", "session_id": "s", "model": "m"}),
            json!({"type": "tool_use", "tool_name": "read_file", "tool_id": "a",
                "parameters": {"file_path": path}}),
            json!({"type": "tool_result", "tool_id": "a", "status": "success", "output": ""}),
            json!({"type": "message", "role": "assistant", "content": "{}", "delta": true}),
            json!({"type": "result", "status": "success", "stats": {}}),
        ],
        Client::Opencode => vec![
            json!({"type": "step_start", "sessionID": "s", "part": {"messageID": "m"}}),
            json!({"type": "tool_use", "sessionID": "s", "part": {"messageID": "m",
                "tool": "read", "state": {"status": "completed", "input": {"filePath": path},
                "output": format!("<path>{path}</path>\n<content>\n{text}</content>")}}}),
            json!({"type": "text", "sessionID": "s", "part": {"messageID": "m", "text": "{}"}}),
            json!({"type": "step_finish", "sessionID": "s",
                "part": {"messageID": "m", "reason": "stop"}}),
        ],
    }
}

/// What is known to be opened after a client read `path`, with `text` as the result.
async fn opened(
    client: Client,
    path: &str,
    text: &str,
    before: &[OpenedFile],
) -> Option<OpenedText> {
    let lines = printed(client, path, text);
    let lines: Vec<_> = lines.iter().map(Json::to_string).collect();
    let fake = Fake::new(client, &format!("cat <<'END'\n{}\nEND", lines.join("\n")));
    fake.project.write(SPEC, spec());
    let context = Arc::new(fake.context());
    let request = review_request();
    let call = AgentCall {
        role: AgentRole::Reviewer,
        iteration: 1,
        prompt: Prompt {
            label: "test/v1".to_owned(),
            text: b"Go.".to_vec(),
        },
        access: Access::Read,
        checkout: &checkout(&context),
        session: "5e55",
        follow_up: None,
        request_id: None,
        opened: Some(before),
        answer_schema: None,
        allowance: Allowance::default(),
        step: &request.step,
    };
    let agent = ClientAgent::new(client, None, context);
    agent.call(call).await.unwrap().opened
}

fn missing(first: u32, last: u32) -> LineRange {
    LineRange {
        path: SPEC.to_owned(),
        first,
        last,
    }
}

#[tokio::test]
async fn a_client_that_shows_what_its_tools_return_shows_what_it_opened() {
    let text = spec();
    for client in Client::ALL {
        if client == Client::Gemini {
            assert_eq!(opened(client, SPEC, "", &[]).await, None);
            continue;
        }
        for (lines, percent, left) in [
            (0..100, 100, vec![]),
            (0..50, 49, vec![missing(50, 100)]),
            (50..100, 49, vec![missing(1, 50)]),
        ] {
            let shown = shown(client, &text, lines);
            let opened = opened(client, SPEC, &shown, &[]).await.unwrap().opened;
            assert_eq!(opened.missing, left, "{client}");
            assert!(
                opened.share.percent().abs_diff(percent) <= 1,
                "{client} {opened:?}"
            );
        }
    }
}

#[tokio::test]
async fn lines_that_were_opened_before_count_while_their_file_is_the_same() {
    let text = spec();
    let first = opened(
        Client::Claude,
        SPEC,
        &shown(Client::Claude, &text, 0..50),
        &[],
    )
    .await;
    let before = first.unwrap().files;
    let rest = shown(Client::Claude, &text, 50..100);
    let both = opened(Client::Claude, SPEC, &rest, &before).await.unwrap();
    assert_eq!(both.opened.share.percent(), 100);
    let mut changed = before;
    changed[0].text = review_flow::hash_bytes(b"another text");
    let rest = opened(Client::Claude, SPEC, &rest, &changed).await.unwrap();
    assert_eq!(rest.opened.missing, [missing(1, 50)]);
}

#[tokio::test]
async fn what_a_client_shows_of_another_file_opens_nothing() {
    let shown = shown(Client::Claude, &spec(), 0..100);
    for (path, percent) in [
        ("README.md", 0),
        ("../outside.md", 0),
        ("./specs/../specs/DEMO.md", 100),
    ] {
        let opened = opened(Client::Claude, path, &shown, &[]).await.unwrap();
        assert_eq!(opened.opened.share.percent(), percent, "{path}");
    }
}
