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
fn what_a_user_says_about_a_common_mistake_has_its_pattern() {
    let environment = TestEnvironment::new();
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    let said = [
        ("You forgot the error handling.", "missing-error-handling"),
        (
            "too complex, keep it simple please",
            "overly-complex-solution",
        ),
        (
            "That's wrong, you call the wrong endpoint",
            "wrong-api-usage",
        ),
        ("You forgot to validate the input", "missing-validation"),
        ("I prefer tabs over spaces", "style-mismatch"),
        ("You did more than I asked", "scope-creep"),
        (
            "You stopped halfway, finish it",
            "incomplete-implementation",
        ),
        ("That is not what I meant", "misunderstood-requirement"),
    ];
    for (text, _) in said {
        prompt(&environment, text);
    }
    prompt(&environment, "You broke the build");
    let found = corrections(&environment);
    let patterns: Vec<_> = found
        .iter()
        .map(|one| one["pattern_inferred"].as_str().unwrap_or_default())
        .collect();
    let mut expected = said.map(|(_, pattern)| pattern).to_vec();
    expected.push("");
    assert_eq!(patterns, expected);
    assert_eq!(found[0]["pattern_confidence"], "low");
    // Each pattern has the type that the format gives it.
    environment
        .ralph(["corrections", "validate", "--mode", "strict"])
        .exits(0);
}

#[test]
fn objections_are_heard_whatever_they_are_about() {
    let said = [
        ("You swapped the two arguments", "code_quality"),
        ("You renamed the column", "expectation_mismatch"),
        ("This doesn't even compile", "code_quality"),
        ("where are the tests?", "code_completeness"),
        (
            "No, the download has no error handling",
            "code_completeness",
        ),
        (
            "I asked for a function and not for a class",
            "expectation_mismatch",
        ),
        ("I said no new dependencies", "communication_gap"),
        ("That is not the style of this repo", "preference_conflict"),
        ("This breaks the build on Windows", "code_quality"),
        ("We never log passwords", "preference_conflict"),
        (
            "Don't mock the database in these tests",
            "preference_conflict",
        ),
        ("Put the old tests back", "expectation_mismatch"),
        (
            "Why did you touch the migrations? Leave them alone.",
            "expectation_mismatch",
        ),
    ];
    for (text, correction_type) in said {
        let environment = TestEnvironment::new();
        wrote(&environment, "src/up.rs", "fn up() {}\n");
        prompt(&environment, text);
        let found = corrections(&environment);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0]["correction_type"], correction_type, "{text}");
    }
    let environment = TestEnvironment::new();
    // Before any work, what is forbidden is part of the task.
    prompt(&environment, "Don't mock the database in these tests");
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    for text in [
        "No, I have not tried that yet",
        "You suggested a queue",
        "Anna wrote that you forgot the header, but she looked at the old branch",
    ] {
        prompt(&environment, text);
    }
    assert_eq!(corrections(&environment), Vec::<Value>::new());
}

#[test]
fn a_file_that_the_user_changes_becomes_an_implicit_correction() {
    let environment = TestEnvironment::new();
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    prompt(&environment, "Go on.");
    environment.write("src/up.rs", "fn up() -> u8 {}\n");
    prompt(&environment, "Go on.");
    let found = corrections(&environment);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["source"], "implicit");
    assert_eq!(
        found[0]["user_correction"],
        json!({"summary": "The user extended src/up.rs after the agent wrote it"})
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
fn another_approach_is_a_correction_and_praise_is_none() {
    let environment = TestEnvironment::new();
    wrote(&environment, "src/up.rs", "fn up() {}\n");
    prompt(&environment, "You missed nothing, great work");
    prompt(&environment, "This is not too complicated, I like it");
    assert_eq!(corrections(&environment), Vec::<Value>::new());
    prompt(&environment, "let's try Redis instead");
    let found = corrections(&environment);
    assert_eq!(found[0]["correction_type"], "approach_rejection");
    assert_eq!(
        found[0]["user_correction"]["verbatim"],
        "let's try Redis instead"
    );
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
