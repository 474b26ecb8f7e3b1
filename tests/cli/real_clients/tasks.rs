//! Clients that implement tasks, two at a time.

use serde_json::{Value as Json, json};

use super::installed::Client;
use super::world::{World, text, tool};
use crate::implement::{commit, git, write_task, write_unit};

/// Has the client run a command of the shell.
fn shell(client: Client, command: &str) -> Json {
    match client {
        Client::Claude => tool("Bash", &json!({"command": command})),
        Client::Codex => tool("exec_command", &json!({"cmd": command})),
        Client::Gemini => tool("run_shell_command", &json!({"command": command})),
        Client::Opencode => tool("bash", &json!({"command": command, "description": "Write"})),
    }
}

/// The first of two tasks takes two attempts.
fn implements(client: Client) {
    let Some(world) = World::new(client) else {
        return;
    };
    let environment = &world.environment;
    write_unit(environment, &["[]", "[]"]);
    write_task(
        environment,
        1,
        "[]",
        "echo \"found <$(cat 1.txt)>\"; grep -qx 1 1.txt",
    );
    commit(environment);
    let first = json!({"said": "# Task 1", "step": 1});
    let again = json!({"said": "found <wrong>", "step": 1});
    let second = json!({"said": "# Task 2", "step": 1});
    let server = world.serve(json!([
        {"name": "again", "when": again, "reply": shell(client, "echo 1 > 1.txt")},
        {"name": "first", "when": first, "reply": shell(client, "echo wrong > 1.txt")},
        {"name": "second", "when": second, "reply": shell(client, "echo 2 > 2.txt")},
        {"name": "end", "reply": text(&"Done.")},
    ]));
    let run = [
        "run",
        "--spec",
        "specs/DEMO.md",
        "--tasks-only",
        "--implementer",
        client.name(),
        "--jobs",
        "2",
        "--format",
        "json",
    ];
    let report = world.command(&server, &run).run().exits(0).json();
    let tasks = report["tasks"].as_array().unwrap();
    let states: Vec<_> = tasks.iter().map(|task| &task["status"]).collect();
    assert_eq!(states, ["landed", "landed"], "{report:#}");
    let attempts = tasks[0]["attempts"].as_array().unwrap();
    let codes: Vec<_> = attempts.iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["gate_red"], "{report:#}");
    let mut log: Vec<_> = git(environment, &["log", "--format=%s"])
        .lines()
        .map(str::to_owned)
        .collect();
    log.sort();
    assert_eq!(log, ["Start", "Task 1", "Task 2"]);
    assert_eq!(environment.read("1.txt"), "1\n");
    assert_eq!(environment.read("2.txt"), "2\n");
    assert_eq!(git(environment, &["status", "--porcelain"]), "");
    let used: Vec<_> = server
        .calls()
        .iter()
        .filter_map(|call| call.rule.clone())
        .filter(|rule| rule != "end")
        .collect();
    assert_eq!(used.len(), 3, "{used:?}");
}

#[test]
fn claude_implements_tasks() {
    implements(Client::Claude);
}

#[test]
fn codex_implements_tasks() {
    implements(Client::Codex);
}

#[test]
fn gemini_implements_tasks() {
    implements(Client::Gemini);
}

#[test]
fn opencode_implements_tasks() {
    implements(Client::Opencode);
}
