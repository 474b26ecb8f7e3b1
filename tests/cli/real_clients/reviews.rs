//! A review, an edit of the spec, and a review that passes.

use serde_json::{Value as Json, json};

use super::installed::Client;
use super::world::{World, response, text, tool, verdict};

const GOAL: &str = "Be fast.";
const FIXED: &str = "p99 latency below 50 ms.";

/// Drives the loop from a review to the next, and looks at what was asked.
fn loops(world: &World, edits: &[Json], reviewed_with: &[&str]) {
    let mut script = Vec::new();
    // An applier is known by what it may do, where a client tells.
    let applies = match world.client {
        Client::Claude => json!({"offers": "Edit"}),
        Client::Codex => json!({"said": "Apply the review feedback"}),
        Client::Gemini => json!({"offers": "replace"}),
        Client::Opencode => json!({"offers": "edit"}),
    };
    for (step, edit) in (1..).zip(edits) {
        let mut when = applies.clone();
        when["step"] = step.into();
        script.push(json!({"name": "apply", "when": when, "reply": edit}));
    }
    script.push(json!({"name": "report", "when": applies, "reply": text(&"Done.")}));
    let answer = |passes| match world.client {
        Client::Claude => tool("StructuredOutput", &verdict(passes)),
        Client::Codex | Client::Gemini => text(&verdict(passes)),
        Client::Opencode => text(&response(passes)),
    };
    let fixed = match world.client {
        // The session goes on: with the answer, and what was said after it.
        Client::Claude => json!({"said": FIXED, "step": 3}),
        Client::Codex | Client::Gemini | Client::Opencode => {
            json!({"said": FIXED, "step": 2})
        }
    };
    script.push(json!({"name": "pass", "when": fixed, "reply": answer(true)}));
    script.push(json!({"name": "revise", "when": {"step": 1}, "reply": answer(false)}));
    script.push(json!({"name": "again", "reply": text(&"Done.")}));
    let server = world.serve(Json::Array(script));
    let report = world
        .run(&server, &["--format", "json"])
        .run()
        .exits(0)
        .json();
    assert_eq!(report["outcome"], "passed", "{report}");
    assert_eq!(report["spec"], "specs/DEMO.md");
    let rounds = report["iterations"].as_array().unwrap();
    assert_eq!(rounds.len(), 2);
    let spec = world.environment.read("specs/DEMO.md");
    assert_eq!(spec, format!("# Demo\n\n## Goal\n\n{FIXED}\n"));
    let mut calls = server.calls();
    let tools = calls[0].tools.clone();
    calls.retain(|call| call.rule.as_deref() != Some("again"));
    let rules: Vec<_> = calls
        .iter()
        .map(|call| call.rule.as_deref().unwrap())
        .collect();
    let mut expected = vec!["revise"];
    expected.extend(edits.iter().map(|_| "apply"));
    expected.extend(["report", "pass"]);
    assert_eq!(rules, expected);
    assert_eq!(tools, reviewed_with);
    let files = world.environment.files(".");
    let files: Vec<_> = files
        .iter()
        .filter(|file| !file.starts_with(".ralph-review/"))
        .collect();
    assert_eq!(files, ["specs/DEMO.md"]);
}

#[test]
fn claude_reviews_edits_and_passes() {
    let Some(world) = World::new(Client::Claude) else {
        return;
    };
    let edit = json!({"file_path": world.spec(), "old_string": GOAL, "new_string": FIXED});
    let edits = [
        tool("Read", &json!({"file_path": world.spec()})),
        tool("Edit", &edit),
    ];
    loops(
        &world,
        &edits,
        &["Glob", "Grep", "Read", "StructuredOutput"],
    );
}

/// A client that is given something else than its prompt, or only its start.
fn unread(client: Client) {
    for given in ["echo review it", "dd bs=1 count=100 2> /dev/null"] {
        let Some(world) = World::new(client) else {
            return;
        };
        world.wrap(&format!(
            "case \"$*\" in *--version*) exec \"$PROGRAM\" \"$@\";; esac\n\
             {given} | \"$PROGRAM\" \"$@\"; exit $?"
        ));
        let passes = match client {
            Client::Claude => tool("StructuredOutput", &verdict(true)),
            Client::Codex | Client::Gemini => text(&verdict(true)),
            Client::Opencode => text(&response(true)),
        };
        let server = world.serve(json!([
            {"name": "pass", "when": {"step": 1}, "reply": passes},
            {"name": "again", "reply": text(&"Done.")},
        ]));
        let review = ["--no-apply", "--format", "json"];
        let report = world.review(&server, &review).run().exits(3).json();
        assert_eq!(report["block_code"], "unread", "{given}: {report:#}");
        let reason = report["block_reason"].as_str().unwrap();
        let read = format!("also when asked again: {} read ", client.name());
        assert!(reason.contains(&read), "{reason}");
    }
}

#[test]
fn a_pass_of_claude_without_its_prompt_does_not_count() {
    unread(Client::Claude);
}

#[test]
fn a_pass_of_codex_without_its_prompt_does_not_count() {
    unread(Client::Codex);
}

#[test]
fn a_pass_of_opencode_without_its_prompt_does_not_count() {
    unread(Client::Opencode);
}

/// It asks once more, for a whole message.
#[test]
fn a_review_that_was_cut_comes_through_claude_all_the_same() {
    let Some(world) = World::new(Client::Claude) else {
        return;
    };
    let passes = tool("StructuredOutput", &verdict(true));
    let mut cut = passes.clone();
    cut["cut_after"] = 3.into();
    let server = world.serve(json!([
        {"name": "cut", "times": 1, "reply": cut},
        {"name": "pass", "when": {"step": 1}, "reply": passes},
        {"name": "again", "reply": text(&"Done.")},
    ]));
    let review = ["--no-apply", "--format", "json"];
    let report = world.review(&server, &review).run().exits(0).json();
    assert_eq!(report["outcome"], "passed", "{report}");
    let calls = server.calls();
    let rules = calls.iter().map(|call| call.rule.as_deref());
    let rules: Vec<_> = rules.filter(|rule| *rule != Some("again")).collect();
    assert_eq!(rules, [Some("cut"), Some("pass")]);
}

#[test]
fn codex_reviews_edits_and_passes() {
    let Some(world) = World::new(Client::Codex) else {
        return;
    };
    let edit = json!({"cmd": format!("sed -i 's/{GOAL}/{FIXED}/' specs/DEMO.md")});
    let edits = [tool("exec_command", &edit)];
    let offered = [
        "exec_command",
        "write_stdin",
        "request_user_input",
        "view_image",
        "multi_agent_v1",
        "get_goal",
        "create_goal",
        "update_goal",
    ];
    loops(&world, &edits, &offered);
}

#[test]
fn gemini_reviews_edits_and_passes() {
    let Some(world) = World::new(Client::Gemini) else {
        return;
    };
    let edit = json!({
        "file_path": world.spec(), "instruction": "State a limit.",
        "old_string": GOAL, "new_string": FIXED,
    });
    let edits = [
        tool("read_file", &json!({"file_path": world.spec()})),
        tool("replace", &edit),
    ];
    let offered = [
        "update_topic",
        "list_directory",
        "read_file",
        "grep_search",
        "glob",
        "google_web_search",
        "enter_plan_mode",
        "invoke_agent",
    ];
    loops(&world, &edits, &offered);
}

#[test]
fn opencode_reviews_edits_and_passes() {
    let Some(world) = World::new(Client::Opencode) else {
        return;
    };
    let edit = json!({"filePath": world.spec(), "oldString": GOAL, "newString": FIXED});
    let edits = [
        tool("read", &json!({"filePath": world.spec()})),
        tool("edit", &edit),
    ];
    loops(&world, &edits, &["glob", "grep", "read"]);
}

/// What it did not print is found in its session, and not paid for again.
#[test]
fn an_answer_that_opencode_did_not_print_is_recovered() {
    let Some(world) = World::new(Client::Opencode) else {
        return;
    };
    world.wrap(
        "if [ \"$1\" = run ]; then \"$PROGRAM\" \"$@\" | grep -v '\"type\":\"text\"'; exit 0; fi",
    );
    let server = world.serve(json!([{"name": "revise", "reply": text(&response(false))}]));
    let review = ["--no-apply", "--format", "json"];
    let ran = world.review(&server, &review).run().exits(1);
    let recovered = "it was recovered from session ses_";
    assert!(ran.stderr.contains(recovered), "{}", ran.stderr);
    assert_eq!(ran.json()["verdict"], "needs_revision");
    let calls = server.calls();
    let rules: Vec<_> = calls.iter().map(|call| call.rule.as_deref()).collect();
    assert_eq!(rules, [Some("revise")]);
}
