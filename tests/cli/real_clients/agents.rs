//! Clients that are talked with by the Agent Client Protocol.

use serde_json::{Value as Json, json};

use super::installed::Client;
use super::world::{World, text, tool, verdict};
use crate::implement::{commit, git, write_unit};

const FIXED: &str = "p99 latency below 50 ms.";

/// How a client is started as an agent of the protocol.
fn agent(client: Client) -> &'static str {
    match client {
        Client::Gemini => "acp:gemini --acp",
        Client::Opencode => "acp:opencode acp",
        Client::Claude | Client::Codex => panic!("{client:?} speaks another protocol"),
    }
}

/// The calls of tools by which a model edits the spec.
fn edits(world: &World) -> Vec<Json> {
    let path = world.spec();
    match world.client {
        Client::Gemini => {
            let edit = json!({"file_path": path, "old_string": "Be fast.", "new_string": FIXED,
                              "instruction": "State a limit."});
            vec![tool("replace", &edit)]
        }
        _ => vec![
            tool("read", &json!({"filePath": path})),
            tool(
                "edit",
                &json!({"filePath": path, "oldString": "Be fast.", "newString": FIXED}),
            ),
        ],
    }
}

/// A review, an edit of the spec, and a review in the same session that passes.
fn loops(client: Client) {
    let Some(world) = World::new(client) else {
        return;
    };
    let applies = json!({"said": "Apply the review feedback"});
    let mut script = Vec::new();
    for (step, edit) in (1..).zip(edits(&world)) {
        let mut when = applies.clone();
        when["step"] = step.into();
        script.push(json!({"name": "apply", "when": when, "reply": edit}));
    }
    script.push(json!({"name": "report", "when": applies, "reply": text(&"Done.")}));
    let fixed = json!({"said": FIXED, "step": 2});
    script.push(json!({"name": "pass", "when": fixed, "reply": text(&verdict(true))}));
    let fresh = json!({"said": FIXED, "step": 1});
    script.push(json!({"name": "fresh", "when": fresh, "reply": text(&verdict(true))}));
    script.push(json!({"name": "revise", "when": {"step": 1}, "reply": text(&verdict(false))}));
    let server = world.serve(Json::Array(script));
    let agent = agent(client);
    let run = ["run", "--spec", "specs/DEMO.md", "--format", "json"];
    let agents = ["--reviewer", agent, "--applier", agent];
    let ran = world.command(&server, &[&run[..], &agents].concat()).run();
    let report = ran.exits(0).json();
    assert_eq!(report["outcome"], "passed", "{report:#}");
    assert_eq!(report["iterations"].as_array().unwrap().len(), 2);
    let spec = world.environment.read("specs/DEMO.md");
    assert_eq!(spec, format!("# Demo\n\n## Goal\n\n{FIXED}\n"));
    let files = world.environment.files(".");
    let files: Vec<_> = files
        .iter()
        .filter(|file| !file.starts_with(".ralph-review/"))
        .collect();
    assert_eq!(files, ["specs/DEMO.md"]);
}

#[test]
fn gemini_reviews_edits_and_passes_as_an_agent() {
    loops(Client::Gemini);
}

#[test]
fn opencode_reviews_edits_and_passes_as_an_agent() {
    loops(Client::Opencode);
}

/// A task whose agent runs a command of the shell.
fn implements(client: Client) {
    let Some(world) = World::new(client) else {
        return;
    };
    let environment = &world.environment;
    write_unit(environment, &["[]"]);
    commit(environment);
    let shell = match client {
        Client::Gemini => tool("run_shell_command", &json!({"command": "echo 1 > 1.txt"})),
        _ => tool(
            "bash",
            &json!({"command": "echo 1 > 1.txt", "description": "Write"}),
        ),
    };
    let first = json!({"said": "# Task 1", "step": 1});
    let server = world.serve(json!([
        {"name": "first", "when": first, "reply": shell},
        {"name": "end", "reply": text(&"Done.")},
    ]));
    let run = ["run", "--spec", "specs/DEMO.md", "--tasks-only"];
    let agents = ["--implementer", agent(client), "--format", "json"];
    let ran = world.command(&server, &[&run[..], &agents].concat()).run();
    let report = ran.exits(0).json();
    assert_eq!(report["tasks"][0]["status"], "landed", "{report:#}");
    assert_eq!(git(environment, &["show", "HEAD:1.txt"]), "1");
}

#[test]
fn gemini_implements_a_task_as_an_agent() {
    implements(Client::Gemini);
}

#[test]
fn opencode_implements_a_task_as_an_agent() {
    implements(Client::Opencode);
}

/// A model that does not answer, in a call of a few seconds.
fn hangs(client: Client) {
    let Some(world) = World::new(client) else {
        return;
    };
    let server = world.serve(json!([{"name": "hang", "reply": {"hangs": true}}]));
    let review = ["review", "specs/DEMO.md", "--no-apply", "--format", "json"];
    let limits = ["--reviewer", agent(client), "--call-timeout", "15s"];
    let ran = world
        .command(&server, &[&review[..], &limits].concat())
        .run();
    let report = ran.exits(3).json();
    let reason = report["block_reason"].as_str().unwrap();
    assert!(reason.contains("was not done after 15s"), "{report:#}");
}

#[test]
fn a_gemini_whose_model_hangs_is_cancelled() {
    hangs(Client::Gemini);
}

#[test]
fn an_opencode_whose_model_hangs_is_cancelled() {
    hangs(Client::Opencode);
}
