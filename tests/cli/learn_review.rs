//! `ralph learn review` on a terminal.

use std::fs::File;
use std::io::{Read, Write};

use nix::pty::openpty;
use serde_json::{Value, json};

use crate::support::TestEnvironment;

const IDS: [&str; 4] = [
    "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a201",
    "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a202",
    "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a203",
    "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a204",
];

fn lesson_path(id: &str) -> String {
    format!(".aiwg/.lessons/reviewer/{id}.json")
}

/// A project with four proposed lessons.
fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    for (id, text) in IDS
        .iter()
        .zip(["Name units.", "Quote words.", "Ask less.", "Be brief."])
    {
        let lesson = json!({
            "id": id, "agent": "reviewer", "lesson_text": text, "source_feedback": ["a"],
            "factors": {"cohesion": 0.5},
        });
        environment.write(lesson_path(id), lesson.to_string());
    }
    environment
}

/// What the command shows on a terminal where a user types `keys`, and the
/// code that it ends with.
fn typed(environment: &TestEnvironment, arguments: &[&str], keys: &str) -> (String, i32) {
    let terminal = openpty(None, None).unwrap();
    let slave = || terminal.slave.try_clone().unwrap();
    let command =
        environment.command([&["learn", "review", "--color", "never"], arguments].concat());
    let mut command = command.env("USER", "ann").into_std();
    command.stdin(slave()).stdout(slave()).stderr(slave());
    let mut child = command.spawn().unwrap();
    drop(command);
    drop(terminal.slave);
    let mut screen = File::from(terminal.master);
    screen.write_all(keys.as_bytes()).unwrap();
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    // The terminal ends with an error when the last program has left it.
    while let Ok(count @ 1..) = screen.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    let code = child.wait().unwrap().code().unwrap();
    (String::from_utf8(shown).unwrap().replace('\r', ""), code)
}

fn statuses(environment: &TestEnvironment) -> Vec<(Value, Value)> {
    let lessons = IDS.iter().map(|id| {
        let lesson: Value = serde_json::from_str(&environment.read(lesson_path(id))).unwrap();
        (lesson["status"].clone(), lesson["approved_by"].clone())
    });
    lessons.collect()
}

#[test]
fn each_lesson_is_decided_on_by_a_key() {
    let environment = project();
    // What ends the input ends the questions.
    let (shown, code) = typed(&environment, &[], "a\nx\nr\nv\nq\n\u{4}");
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("[a] Approve  [r] Reject  [v] View Full  [q] Defer"),
        "{shown}"
    );
    assert!(
        shown.contains("reviewer version 1 → 2, 1 change"),
        "{shown}"
    );
    assert!(shown.contains("press a, r, v or q, then Enter"), "{shown}");
    assert!(shown.contains("cohesion 0.50"), "{shown}");
    assert_eq!(
        statuses(&environment),
        [
            (json!("applied"), json!("ann")),
            (json!("rejected"), Value::Null),
            (json!("proposed"), Value::Null),
            (Value::Null, Value::Null),
        ]
    );
    let third: Value = serde_json::from_str(&environment.read(lesson_path(IDS[2]))).unwrap();
    assert_eq!(third["note"], "deferred by ann");
    let due = environment
        .ralph(["learn", "review", "--format", "json"])
        .exits(0)
        .json();
    let due: Vec<_> = due["proposals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["lesson"]["id"])
        .collect();
    assert_eq!(due, [IDS[3]]);
}

#[test]
fn who_may_not_decide_is_told_and_nothing_changes() {
    let environment = project();
    let gate = "[learning.prompt_evolution.approval_gate]\napprovers = [\"bob\"]\n";
    environment.write("ralph.toml", gate);
    let (shown, code) = typed(&environment, &[], "a\n\u{4}");
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("ann may not decide on lessons"), "{shown}");
    let undecided = (Value::Null, Value::Null);
    assert_eq!(statuses(&environment), vec![undecided; 4]);
    let (shown, code) = typed(&environment, &["--by", "bob"], "a\n\u{4}");
    assert_eq!(code, 0, "{shown}");
    assert_eq!(statuses(&environment)[0], (json!("applied"), json!("bob")));
}
