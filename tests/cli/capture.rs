//! `ralph corrections capture` and the hooks that call it.

use serde_json::{Value, json};

use crate::support::{Ran, TestEnvironment};

const FILE: &str = ".claude/user-corrections.jsonl";

fn tell(environment: &TestEnvironment, hook: &Value) -> Ran {
    let command = environment.command(["corrections", "capture"]);
    let ran = command.stdin(hook.to_string()).run().exits(0);
    assert_eq!(ran.stdout, "");
    ran
}

fn prompt(environment: &TestEnvironment, text: &str) -> Ran {
    let root = environment.root();
    let hook = json!({
        "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": root,
        "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": text,
    });
    tell(environment, &hook)
}

fn wrote(environment: &TestEnvironment, path: &str, text: &str) -> Ran {
    let path = environment.write(path, text);
    let hook = json!({
        "session_id": "s-1", "cwd": environment.root(), "hook_event_name": "PostToolUse",
        "tool_name": "Write", "tool_input": {"file_path": path, "content": text},
        "tool_response": {"success": true},
    });
    tell(environment, &hook)
}

fn corrections(environment: &TestEnvironment) -> Vec<Value> {
    if !environment.root().join(FILE).exists() {
        return Vec::new();
    }
    let text = environment.read(FILE);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn what_a_user_says_against_the_agent_becomes_a_correction() {
    let environment = TestEnvironment::new();
    prompt(&environment, "Write an upload with a progress bar");
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    prompt(&environment, "Does it have tests?");
    assert_eq!(corrections(&environment), Vec::<Value>::new());
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    let said = format!("You forgot the error handling. The key is {secret}");
    prompt(&environment, &said);
    let found = corrections(&environment);
    assert_eq!(found.len(), 1);
    let one = &found[0];
    assert_eq!(one["correction_type"], "code_completeness");
    assert_eq!(
        one["ai_action"],
        json!({"summary": "Wrote src/up.rs", "tool_used": "Write", "file": "src/up.rs"})
    );
    assert_eq!(
        one["user_correction"]["verbatim"],
        "You forgot the error handling. The key is [redacted]"
    );
    assert_eq!(
        (&one["agent"], &one["source"], &one["session_id"]),
        (&json!("claude"), &json!("explicit"), &json!("s-1"))
    );
    environment
        .ralph(["corrections", "validate", "--mode", "strict"])
        .exits(0);
    let state = environment.read(".ralph-review/capture/s-1.json");
    assert!(
        !state.contains("upload") && !state.contains("progress"),
        "{state}"
    );
}

#[test]
fn what_goes_wrong_is_a_line_in_the_log_and_no_failure() {
    let environment = TestEnvironment::new();
    for text in ["", "no JSON", "{\"session_id\": 7}"] {
        let command = environment.command(["corrections", "capture"]);
        let ran = command.stdin(text).run().exits(0);
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.as_str()),
            ("", ""),
            "{text}"
        );
    }
    let log = environment.read(".ralph-review/capture.log");
    assert_eq!(log.lines().count(), 3);
    assert!(log.contains("invalid hook event"), "{log}");
    environment.write("ralph.toml", "[nonsense");
    let ran = prompt(&environment, "You forgot the tests.");
    assert!(
        ran.stderr.contains("nothing was captured"),
        "{}",
        ran.stderr
    );
}

#[test]
fn hooks_are_merged_with_consent_alone() {
    let environment = TestEnvironment::new();
    let settings = ".claude/settings.json";
    let before = "{\"permissions\": {\"allow\": [\"Bash(ls)\"]}}";
    environment.write(settings, before);
    let refused = environment.ralph(["init", "--hooks", "claude"]).exits(2);
    assert!(
        refused.stderr.contains("agree with --yes"),
        "{}",
        refused.stderr
    );
    assert_eq!(environment.read(settings), before);
    assert!(!environment.root().join("specs/EXAMPLE.md").exists());
    let ran = environment
        .ralph(["init", "--hooks", "claude", "--yes"])
        .exits(0);
    assert!(
        ran.stdout.contains("wrote .claude/settings.json"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .ends_with("\nnext:\nsee what was noticed:\nralph learn\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(environment.read("ralph.toml"), "[learning]\n");
    // Nobody asked for a spec.
    assert!(!environment.root().join("specs/EXAMPLE.md").exists());
    let merged: Value = serde_json::from_str(&environment.read(settings)).unwrap();
    assert_eq!(merged["permissions"], json!({"allow": ["Bash(ls)"]}));
    let hook = &merged["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    assert_eq!(hook["command"], "ralph corrections capture");
    let text = environment.read(settings);
    let again = environment.ralph(["init", "--hooks", "claude"]).exits(0);
    assert!(
        again.stdout.contains("which has the hooks"),
        "{}",
        again.stdout
    );
    assert_eq!(environment.read(settings), text);
    environment.write(settings, "[]");
    environment
        .ralph(["init", "--hooks", "claude", "--yes"])
        .exits(2);
    assert_eq!(environment.read(settings), "[]");
}

#[test]
fn a_message_that_no_phrase_matches_is_kept_until_a_reviewer_is_asked() {
    let environment = TestEnvironment::new();
    let unclear = "The counter skips every second customer";
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    prompt(&environment, unclear);
    wrote(&environment, "src/up.rs", "fn up(){}\n");
    prompt(&environment, "The lunch is at noon");
    assert_eq!(corrections(&environment), Vec::<Value>::new());
    environment.write("ralph.toml", "[learning]\n");
    let status = environment.ralph(["learn"]).exits(0).stdout;
    let told = format!(
        "2 messages just after an edit not taken for corrections:\n  \"The lunch is at noon\"\n  \
         \"{unclear}\"\n"
    );
    assert!(status.contains(&told), "{status}");
    let answer = r#"{"corrections": [{"id": 0, "correction_type": "code_quality"}]}"#;
    environment.program("sage", &format!("cat > \"$HOME/asked\"\necho '{answer}'"));
    let ran = environment
        .ralph(["learn", "run", "--reviewer", "cmd:sage"])
        .exits(0);
    let told =
        format!("the reviewer takes 1 of 2 messages for corrections\n  code_quality  {unclear}\n");
    assert!(ran.stdout.starts_with(&told), "{}", ran.stdout);
    let found = corrections(&environment);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["user_correction"]["verbatim"], unclear);
    assert_eq!(found[0]["correction_type"], "code_quality");
    let status = environment.ralph(["learn"]).exits(0).stdout;
    assert!(!status.contains("not taken"), "{status}");
}
