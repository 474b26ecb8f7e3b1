//! What users correct in a client, and the lesson that the client then reads.

use serde_json::json;

use super::installed::Client;
use super::world::{World, text};

const CORRECTIONS: [&str; 6] = [
    "You forgot the error handling in the upload",
    "You left out the error handling again",
    "You forgot the error handling in the retry, add it",
    "You forgot to handle errors of the download",
    "The error handling is missing here, you forgot it",
    "You forgot the error handling in delete",
];
const LESSON: &str = "Handle each error of a call to the network or the disk, and test it.";

/// The hooks run in the client, and its requests are those that the service received.
#[test]
fn claude_reads_the_lesson_of_six_corrections_until_it_is_rolled_back() {
    let Some(world) = World::new(Client::Claude) else {
        return;
    };
    let environment = &world.environment;
    environment.write("ralph.toml", "[learning]\n");
    let ralph = environment.bin().join("ralph");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ralph"), ralph).unwrap();
    let server = world.serve(json!([
        {"name": "lesson", "when": {"said": LESSON}, "reply": text(&"Done.")},
        {"name": "none", "reply": text(&"Done.")},
    ]));
    let was_read = |prompt: &str| {
        let before = server.calls().len();
        let ask = format!("exec claude --print '{prompt}'");
        let command = world
            .command(&server, &[])
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .after(ask);
        assert_eq!(command.run().exits(0).stdout, "Done.\n");
        let calls = server.calls().split_off(before);
        calls
            .iter()
            .any(|call| call.rule.as_deref() == Some("lesson"))
    };
    let init = ["init", "--hooks", "claude", "--yes"];
    environment.ralph(init).exits(0);
    for words in CORRECTIONS {
        assert!(!was_read(words), "{words}");
    }
    let lines = environment.read(".claude/user-corrections.jsonl");
    assert_eq!(lines.lines().count(), CORRECTIONS.len(), "{lines}");

    environment.ralph(["learn", "run"]).exits(0);
    let list = environment.ralph(["learn", "show", "--format", "json"]);
    let list = list.exits(0).json();
    let id = list["lessons"][0]["lesson"]["id"].as_str().unwrap();
    environment
        .ralph(["learn", "decide", id, "--by", "ann", "--text", LESSON])
        .exits(0);
    assert!(!was_read("Write an upload"));
    environment
        .ralph(["learn", "decide", id, "--approve", "--by", "ann"])
        .exits(0);
    assert!(was_read("Write an upload"));
    let back = ["learn", "rollback", "claude", "--by", "ann"];
    environment.ralph(back).exits(0);
    assert!(!was_read("Write an upload"));
}
