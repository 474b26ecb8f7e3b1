//! `ralph agents`.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::support::{Ran, TestEnvironment};

fn recording(client: &str, case: &str) -> PathBuf {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/transcripts"
    );
    [folder, client, case].iter().collect()
}

fn replay(client: &str, case: &str) -> Ran {
    let path = recording(client, case);
    TestEnvironment::new().ralph(["agents", "replay", client, path.to_str().unwrap()])
}

/// The report of a replay, without the path that differs from machine to machine.
fn report(client: &str, case: &str, code: i32) -> Json {
    let mut report = replay(client, case).exits(code).json();
    let path = report.as_object_mut().unwrap().remove("case");
    assert_eq!(path, Some(json!(recording(client, case))));
    report
}

#[test]
fn a_replayed_answer_is_told_by_its_hash() {
    let hash = "90f0010991e299cf9d42cb7564e037b9f30080546b38242f3ae34893baae3473";
    assert_eq!(
        report("codex", "answer", 0),
        json!({
            "v": 1,
            "outcome": "answer",
            "backend": "codex",
            "text": {"hash": hash, "bytes": 32},
            "session": "th-1",
            "usage": {
                "input_tokens": 200,
                "output_tokens": 40,
                "cache_read_tokens": 50,
                "cache_write_tokens": 4,
                "of": "session",
            },
            "tools": 3,
            "denied": [],
            "recording": {"cut": false},
            "notes": ["warned: Model metadata not found."],
        })
    );
}

#[test]
fn any_other_outcome_comes_with_its_data_and_ends_with_3() {
    for (client, case, expected) in [
        (
            "opencode",
            "status-429",
            json!({
                "outcome": "rate_limited",
                "session": "ses_1",
                "status": 429,
                "retryable": true,
                "retry_at": "2023-11-14T22:13:50Z",
                "message": "slow",
            }),
        ),
        (
            "opencode",
            "idle",
            json!({
                "outcome": "hung",
                "session": "ses_1",
                "limit": "idle",
                "after_ms": 300_000,
            }),
        ),
        (
            "gemini",
            "killed",
            json!({"outcome": "killed", "signal": 9}),
        ),
        (
            "claude",
            "unknown-agent",
            json!({"outcome": "wrong_agent", "asked": "nope"}),
        ),
        (
            "gemini",
            "exit-500",
            json!({"outcome": "model_error", "status": 500}),
        ),
    ] {
        let report = report(client, case, 3);
        let mut all = expected;
        let always = json!({
            "v": 1,
            "backend": client,
            "tools": 0,
            "denied": [],
            "recording": {"cut": false},
            "notes": [],
        });
        let always = always.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(always);
        assert_eq!(report, all, "{client} {case}");
    }
    let failed = report("opencode", "status-after-answer", 3);
    assert_eq!(
        (&failed["status"], &failed["text"]),
        (&json!(7), &Json::Null)
    );
    let denied = report("opencode", "rejected", 3);
    assert_eq!(denied["denied"], json!(["edit"]));
}

#[test]
fn what_is_odd_about_a_recording_is_noted() {
    for (client, case, code, notes) in [
        (
            "gemini",
            "object-recording-cut",
            0,
            json!([
                "the recording holds 13 of 40 lines of standard output; only this part was read",
                "what the call consumed is unknown",
            ]),
        ),
        (
            "opencode",
            "lingered",
            0,
            json!(["the client lingered after its answer and was ended"]),
        ),
        (
            "opencode",
            "step-repeated",
            0,
            json!(["the client asked its model again 1 time"]),
        ),
        (
            "gemini",
            "words-before",
            0,
            json!(["no event in 1 line of standard output"]),
        ),
        ("claude", "empty", 3, json!([])),
        (
            "claude",
            "zero-usage",
            0,
            json!(["what the call consumed is unknown"]),
        ),
    ] {
        assert_eq!(
            report(client, case, code)["notes"],
            notes,
            "{client} {case}"
        );
    }
    let recording = &report("gemini", "object-recording-cut", 0)["recording"];
    assert_eq!(*recording, json!({"cut": true, "stdout_lines_total": 40}));
}

#[test]
fn a_recording_that_is_not_there_ends_with_2() {
    let environment = TestEnvironment::new();
    let ran = environment
        .ralph(["agents", "replay", "codex", "none"])
        .exits(2);
    let stderr = environment.normalized(&ran.stderr);
    assert_eq!(
        stderr,
        "error: cannot read [ROOT]/none.meta.json: No such file or directory (os error 2)\n"
    );
    assert_eq!(ran.stdout, "");
    let ran = environment
        .ralph(["agents", "replay", "cmd:cat", "none"])
        .exits(2);
    let expected =
        "calls of \"cmd:cat\" cannot be read; use opencode, claude, codex, gemini or http:PROFILE";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn backends_are_listed_with_what_they_need() {
    let environment = TestEnvironment::new();
    let human = environment.ralph(["agents", "list"]).exits(0).stdout;
    assert_eq!(
        human,
        "builtin   embedded  reviewer, applier                       needs nothing\n\
         cmd       program   reviewer, applier, implementer          needs a program, given as cmd:PROGRAM ARGS\n\
         opencode  client    reviewer, applier, implementer, replay  not installed; needs opencode 1.18 or later, logged in: npm install --global opencode-ai\n\
         claude    client    reviewer, applier, implementer, replay  not installed; needs claude 2.1 or later, logged in: npm install --global @anthropic-ai/claude-code\n\
         codex     client    reviewer, applier, implementer, replay  not installed; needs codex 0.169 or later, logged in: npm install --global @openai/codex\n\
         gemini    client    reviewer, applier, implementer, replay  not installed; needs gemini 0.61 or later, logged in: npm install --global @google/gemini-cli\n\
         http      http      reviewer, applier, implementer, replay  needs a profile [http.NAME] in ralph.toml, given as http:NAME\n"
    );
    environment.program("codex", "echo codex-cli 0.169.0");
    environment.program("gemini", "echo no >&2; exit 3");
    let shown = environment.ralph(["agents", "list"]).exits(0).stdout;
    let codex = "codex     client    reviewer, applier, implementer, replay  installed: codex-cli 0.169.0\n";
    assert!(shown.contains(codex), "{shown}");
    let list = environment.ralph(["agents", "list", "--format", "json"]);
    let list = list.exits(0).json();
    assert_eq!(list["v"], 1);
    assert_eq!(
        list["clients"],
        json!({
            "claude": null,
            "codex": "codex-cli 0.169.0",
            "gemini": "(`gemini --version` failed: no)",
            "opencode": null,
        })
    );
    assert_eq!(
        list["agents"][2]["install"],
        "npm install --global opencode-ai"
    );
    let rows = list["agents"].as_array().unwrap();
    assert_eq!(rows.len(), human.lines().count());
    assert_eq!(
        rows[1],
        json!({
            "name": "cmd",
            "kind": "program",
            "reviewer": true,
            "applier": true,
            "implementer": true,
            "replay": false,
            "needs": "a program, given as cmd:PROGRAM ARGS",
            "variables": [],
            "writes": [],
        })
    );
    assert_eq!(rows[2]["kind"], "client");
    assert_eq!(rows[2]["writes"][1], ".opencode/bun.lock");
    assert_eq!(rows[3]["variables"][0], "ANTHROPIC_API_KEY");
    assert_eq!(rows[0]["kind"], "embedded");
}
