//! What a model is kept from, by its client or by us.

use serde_json::{Value as Json, json};

use super::installed::Client;
use super::world::{World, text, tool, verdict};

/// A reply when the model is asked for the `step`th time to apply feedback.
fn applies(step: u32, reply: &Json) -> Json {
    let when = json!({"said": "Apply the review feedback", "step": step});
    json!({"name": "apply", "when": when, "reply": reply})
}

fn reviews(reply: &Json) -> Json {
    json!({"name": "review", "reply": reply})
}

/// The report of a run in whose project, and in whose user's home, lie notes
/// that must not change and that are as they were.
fn report(world: &World, script: Vec<Json>) -> Json {
    let at_home = world.environment.home().join("notes.md");
    world.environment.write("notes.md", "mine\n");
    std::fs::write(&at_home, "mine\n").unwrap();
    let server = world.serve(Json::Array(script));
    let limits = ["--max-iterations", "2", "--format", "json"];
    let report = world.review(&server, &limits).run().json();
    assert_eq!(std::fs::read_to_string(at_home).unwrap(), "mine\n");
    report
}

#[test]
fn a_reviewing_codex_cannot_write() {
    let Some(world) = World::new(Client::Codex) else {
        return;
    };
    let write = json!({"cmd": "echo theirs > notes.md"});
    let attempt = tool("exec_command", &write);
    let attempt = json!({"name": "try", "times": 1, "reply": attempt});
    let report = report(&world, vec![attempt, reviews(&text(&verdict(true)))]);
    assert_eq!(report["outcome"], "passed", "{report}");
    assert_eq!(world.environment.read("notes.md"), "mine\n");
}

#[test]
fn servers_of_the_user_do_not_run_for_codex() {
    let Some(world) = World::new(Client::Codex) else {
        return;
    };
    let server = world.serve(json!([reviews(&text(&verdict(true)))]));
    let settings = world.environment.home().join(".codex/config.toml");
    let mark = world.environment.home().join("ran");
    let run = format!("touch '{}'; cat", mark.display());
    let mut all = std::fs::read_to_string(&settings).unwrap();
    all.push_str(&format!(
        "[mcp_servers.\"not es\"]\ncommand = \"sh\"\nargs = [\"-c\", \"{run}\"]\n"
    ));
    std::fs::write(&settings, all).unwrap();
    world.review(&server, &["--no-apply"]).run().exits(0);
    assert!(!mark.exists());
}

/// What comes of a review for which the model looks twelve times, and which
/// may consume two of its answers.
fn consumes_too_much(client: Client, look: impl Fn(&World) -> Json) {
    let Some(world) = World::new(client) else {
        return;
    };
    let looks = json!({"name": "look", "times": 12, "reply": look(&world)});
    let server = world.serve(json!([looks, reviews(&text(&verdict(true)))]));
    let limits = ["--no-apply", "--max-tokens", "300", "--format", "json"];
    let report = world.review(&server, &limits).run().json();
    assert_eq!(report["block_code"], "budget", "{report}");
    let asked = server.calls().len();
    assert!(asked < 8, "the model was asked {asked} times");
}

#[test]
fn a_gemini_that_consumes_too_much_is_ended_while_it_works() {
    consumes_too_much(Client::Gemini, |world| {
        tool("read_file", &json!({"file_path": world.spec()}))
    });
}

#[test]
fn a_reviewing_gemini_has_nothing_to_write_with() {
    let Some(world) = World::new(Client::Gemini) else {
        return;
    };
    let write = json!({"file_path": world.spec(), "content": "theirs\n"});
    let attempt = json!({"name": "try", "times": 1, "reply": tool("write_file", &write)});
    let before = world.environment.read("specs/DEMO.md");
    let report = report(&world, vec![attempt, reviews(&text(&verdict(true)))]);
    assert_eq!(report["outcome"], "passed", "{report}");
    assert_eq!(world.environment.read("specs/DEMO.md"), before);
}

#[test]
fn a_reviewing_claude_has_nothing_to_write_with() {
    let Some(world) = World::new(Client::Claude) else {
        return;
    };
    let write = json!({"file_path": world.spec(), "content": "theirs\n"});
    let attempt = json!({"name": "try", "times": 1, "reply": tool("Write", &write)});
    let pass = tool("StructuredOutput", &verdict(true));
    let done = json!({"name": "done", "when": {"step": 3}, "reply": text(&"Done.")});
    let before = world.environment.read("specs/DEMO.md");
    let report = report(&world, vec![attempt, done, reviews(&pass)]);
    assert_eq!(report["outcome"], "passed", "{report}");
    assert_eq!(world.environment.read("specs/DEMO.md"), before);
}

#[test]
fn an_applying_codex_cannot_write_outside_of_the_project() {
    let Some(world) = World::new(Client::Codex) else {
        return;
    };
    let notes = world.environment.home().join("notes.md");
    let write = json!({"cmd": format!("echo theirs > '{}'", notes.display())});
    let script = vec![
        applies(1, &tool("exec_command", &write)),
        applies(2, &text(&"Done.")),
        reviews(&text(&verdict(false))),
    ];
    assert_eq!(report(&world, script)["block_code"], "no_change");
}

#[test]
fn an_applying_claude_cannot_write_outside_of_the_project() {
    let Some(world) = World::new(Client::Claude) else {
        return;
    };
    let notes = world.environment.home().join("notes.md");
    let write = json!({"file_path": notes, "content": "theirs\n"});
    let script = vec![
        applies(1, &tool("Read", &json!({"file_path": notes}))),
        applies(2, &tool("Write", &write)),
        applies(3, &text(&"Done.")),
        reviews(&text(&verdict(false))),
    ];
    assert_eq!(report(&world, script)["block_code"], "no_change");
}

#[test]
fn an_applier_that_changes_another_file_of_the_project_is_stopped() {
    let Some(world) = World::new(Client::Codex) else {
        return;
    };
    let write = json!({"cmd": "echo theirs > notes.md"});
    let script = vec![
        applies(1, &tool("exec_command", &write)),
        applies(2, &text(&"Done.")),
        reviews(&text(&verdict(false))),
    ];
    assert_eq!(report(&world, script)["block_code"], "applier_failed");
}

#[test]
fn the_doctor_knows_the_clients() {
    for (client, version) in [
        (Client::Claude, "2.1.197 (Claude Code)"),
        (Client::Codex, "codex-cli 0.169.0"),
        (Client::Gemini, "0.61.0"),
        (Client::Opencode, "1.18.33"),
    ] {
        let Some(world) = World::new(client) else {
            return;
        };
        let name = client.name();
        let settings = format!("reviewer = \"{name}\"\napplier = \"{name}\"\n");
        world.environment.write("ralph.toml", settings);
        let server = world.serve(json!([]));
        let ran = world
            .command(&server, &["doctor", "--format", "json"])
            .run();
        let checks = ran.json()["checks"].take();
        let found: Vec<_> = checks
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["name"] == "reviewer" || check["name"] == "applier")
            .map(|check| check["message"].clone())
            .collect();
        let expected = format!("{name}, version {version}");
        assert_eq!(found, [&*expected, &*expected]);
    }
}
