//! The files that clients report to have read and changed.

use std::sync::Arc;

use review::Allowance;
use review::events::AgentRole;
use review_agents::{
    Access, Agent, AgentCall, AgentReply, ApplyScope, Client, ClientAgent, Paths, Prompt,
};

use crate::client_support::Fake;
use crate::support::{checkout, review_request};

const SESSION: &str = r#"{"type":"system","subtype":"init","session_id":"s","model":"m"}"#;

/// What a client prints that reads `specs/DEMO.md` by its absolute path and
/// `notes.md` by its relative one, fails to read `gone.md`, reads a file outside
/// of the root, writes `specs/DEMO.md`, and answers.
fn printed(client: Client) -> Vec<String> {
    match client {
        Client::Claude => {
            let call = |id: &str, tool: &str, path: &str| {
                format!(
                    r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{{"file_path":"{path}"}}}}]}}}}"#
                )
            };
            let result = |id: &str, is_error: bool| {
                format!(
                    r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{is_error},"content":"x"}}]}}}}"#
                )
            };
            vec![
                SESSION.to_owned(),
                call("a", "Read", "ROOT/specs/DEMO.md"),
                call("b", "Read", "notes.md"),
                result("a", false),
                result("b", false),
                call("c", "Read", "gone.md"),
                result("c", true),
                call("d", "Read", "ROOT/../outside.md"),
                result("d", false),
                call("e", "Grep", "ignored.md"),
                result("e", false),
                call("f", "Edit", "ROOT/specs/DEMO.md"),
                result("f", false),
                r#"{"type":"result","subtype":"success","is_error":false,"result":"{}","stop_reason":"end_turn","session_id":"s"}"#.to_owned(),
            ]
        }
        Client::Codex => {
            let ran = |command: &str, status: i32| {
                format!(
                    r#"{{"type":"item.completed","item":{{"id":"i","type":"command_execution","command":"/bin/bash -lc \"{command}\"","aggregated_output":"x","exit_code":{status},"status":"completed"}}}}"#
                )
            };
            vec![
                r#"{"type":"thread.started","thread_id":"t"}"#.to_owned(),
                ran("cat ROOT/specs/DEMO.md", 0),
                ran("sed -n '1,200p' notes.md | head -n 5", 0),
                ran("cat gone.md", 1),
                ran("cat ROOT/../outside.md", 0),
                r#"{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"ROOT/specs/DEMO.md","kind":"update"}],"status":"completed"}}"#.to_owned(),
                r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{}"}}"#.to_owned(),
                r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#.to_owned(),
            ]
        }
        Client::Gemini => {
            let call = |id: &str, tool: &str, path: &str, status: &str| {
                vec![
                    format!(
                        r#"{{"type":"tool_use","tool_name":"{tool}","tool_id":"{id}","parameters":{{"file_path":"{path}"}}}}"#
                    ),
                    format!(r#"{{"type":"tool_result","tool_id":"{id}","status":"{status}"}}"#),
                ]
            };
            let calls = [
                call("a", "read_file", "ROOT/specs/DEMO.md", "success"),
                call("b", "read_file", "notes.md", "success"),
                call("c", "read_file", "gone.md", "error"),
                call("d", "read_file", "ROOT/../outside.md", "success"),
                call("e", "replace", "ROOT/specs/DEMO.md", "success"),
            ];
            let start = r#"{"type":"init","session_id":"s","model":"m"}"#;
            let end = [
                r#"{"type":"message","role":"assistant","content":"{}","delta":true}"#,
                r#"{"type":"result","status":"success","stats":{}}"#,
            ];
            let calls = calls.into_iter().flatten();
            let lines = std::iter::once(start.to_owned()).chain(calls);
            lines.chain(end.map(str::to_owned)).collect()
        }
        Client::Opencode => {
            let call = |tool: &str, path: &str, status: &str| {
                format!(
                    r#"{{"type":"tool_use","sessionID":"s","part":{{"messageID":"m","tool":"{tool}","state":{{"status":"{status}","input":{{"filePath":"{path}"}}}}}}}}"#
                )
            };
            vec![
                r#"{"type":"step_start","sessionID":"s","part":{"messageID":"m"}}"#.to_owned(),
                call("read", "ROOT/specs/DEMO.md", "completed"),
                call("read", "notes.md", "completed"),
                call("read", "gone.md", "error"),
                call("read", "ROOT/../outside.md", "completed"),
                call("edit", "ROOT/specs/DEMO.md", "completed"),
                r#"{"type":"text","sessionID":"s","part":{"messageID":"m","text":"{}"}}"#.to_owned(),
                r#"{"type":"step_finish","sessionID":"s","part":{"messageID":"m","reason":"stop"}}"#.to_owned(),
            ]
        }
    }
}

/// A project in which a client prints these lines after a script has run.
fn printing(client: Client, script: &str, lines: &[String]) -> Fake {
    let lines = lines.join("\n");
    let show = format!("sed \"s|ROOT|$(pwd -P)|\" <<'END'\n{lines}\nEND");
    let fake = Fake::new(client, &format!("{script}\n{show}"));
    fake.project.write("notes.md", "notes\n");
    std::fs::write(fake.project.path("outside.md"), "").unwrap();
    fake
}

async fn call(client: Client, fake: &Fake, access: Access) -> AgentReply {
    let context = Arc::new(fake.context());
    let request = review_request();
    let call = AgentCall {
        role: AgentRole::Reviewer,
        iteration: 1,
        prompt: Prompt {
            label: "test/v1".to_owned(),
            text: b"Go.".to_vec(),
        },
        access,
        checkout: &checkout(&context),
        session: "5e55",
        follow_up: None,
        request_id: None,
        answer_schema: None,
        allowance: Allowance::default(),
        step: &request.step,
    };
    let agent = ClientAgent::new(client, None, context);
    agent.call(call).await.unwrap()
}

fn listed(paths: &Paths) -> (Vec<&str>, bool) {
    (paths.iter().collect(), paths.is_partial())
}

#[tokio::test]
async fn the_files_that_a_client_reports_to_have_read_and_written_are_listed() {
    for client in Client::ALL {
        let fake = printing(client, "", &printed(client));
        let reply = call(client, &fake, Access::Edit(ApplyScope::Artifact)).await;
        let read = ["notes.md", "specs/DEMO.md"].to_vec();
        assert_eq!(listed(&reply.reads), (read, false), "{client}");
        let changed = ["specs/DEMO.md"].to_vec();
        assert_eq!(listed(&reply.changed), (changed, false), "{client}");
        assert_eq!(
            (&*reply.text, reply.by.prompt.as_deref()),
            (&b"{}"[..], Some("test/v1"))
        );
    }
}

#[tokio::test]
async fn the_files_that_differ_on_disk_are_changed_whatever_is_reported() {
    let script = "echo x >> specs/DEMO.md; echo x > new.md; rm notes.md";
    for client in Client::ALL {
        let fake = printing(client, script, &printed(client));
        let reply = call(client, &fake, Access::Edit(ApplyScope::Root)).await;
        let changed = ["new.md", "notes.md", "specs/DEMO.md"].to_vec();
        assert_eq!(listed(&reply.changed), (changed, false), "{client}");
        assert_eq!(reply.out_of_scope, [], "{client}");
        let fake = printing(client, script, &printed(client));
        let reply = call(client, &fake, Access::Edit(ApplyScope::Artifact)).await;
        let restored = reply.out_of_scope.iter().map(|one| &*one.path);
        assert_eq!(restored.collect::<Vec<_>>(), ["new.md", "notes.md"]);
    }
}

#[tokio::test]
async fn a_list_from_which_files_may_be_missing_says_so() {
    let lines = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"item.completed","item":{"type":"command_execution","command":"bash -lc 'cat notes.md && grep -rn x .'","exit_code":0,"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"{}"}}"#,
        r#"{"type":"turn.completed"}"#,
    ];
    let fake = printing(Client::Codex, "", &lines.map(str::to_owned));
    let reply = call(Client::Codex, &fake, Access::Read).await;
    assert_eq!(listed(&reply.reads), (vec!["notes.md"], true));
    let lines = [
        r#"{"type":"item.completed","item":{"type":"command_execution","command":["cat","notes.md"],"exit_code":0}}"#,
        r#"{"type":"item.completed","item":{"type":"file_change","changes":{"new.md":{}},"status":"completed"}}"#,
        lines[2],
        lines[3],
    ];
    let fake = printing(Client::Codex, "", &lines.map(str::to_owned));
    let reply = call(Client::Codex, &fake, Access::Read).await;
    assert_eq!(listed(&reply.reads), (vec![], true));
    assert_eq!(listed(&reply.changed), (vec![], true));
}
