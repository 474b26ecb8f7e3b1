//! `ralph learn review` on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Child;

use nix::pty::openpty;
use rustix::process::{Pid, Signal, kill_process};
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

/// What the user does where an answer is awaited.
#[derive(Clone, Copy)]
enum Press {
    Key(&'static str),
    Signal(Signal),
}

/// `ralph learn review` on a terminal.
struct Review {
    child: Child,
    screen: File,
    shown: String,
    prompts: usize,
    slave: OwnedFd,
}

impl Review {
    fn start(environment: &TestEnvironment, arguments: &[&str]) -> Self {
        let terminal = openpty(None, None).unwrap();
        let slave = || terminal.slave.try_clone().unwrap();
        let arguments = [&["learn", "review", "--color", "never"], arguments].concat();
        let mut command = environment.command(arguments).env("USER", "ann").into_std();
        command.stdin(slave()).stdout(slave()).stderr(slave());
        Self {
            child: command.spawn().unwrap(),
            screen: File::from(terminal.master),
            shown: String::new(),
            prompts: 0,
            slave: terminal.slave,
        }
    }

    /// Waits for the next prompt.
    fn wait_for_prompt(&mut self) {
        self.prompts += 1;
        let mut buffer = [0; 4096];
        while self.shown.matches("a, r, v or q, and Enter").count() < self.prompts {
            let count = self.screen.read(&mut buffer).unwrap();
            let text = String::from_utf8_lossy(&buffer[..count]);
            self.shown += &text.replace('\r', "");
        }
    }

    fn press(&mut self, press: Press) {
        self.wait_for_prompt();
        match press {
            Press::Key(keys) => self.screen.write_all(keys.as_bytes()).unwrap(),
            Press::Signal(signal) => kill_process(Pid::from_child(&self.child), signal).unwrap(),
        }
    }

    /// What was shown up to the end, and the exit code.
    fn end(mut self) -> (String, i32) {
        let code = self.child.wait().unwrap().code().unwrap();
        drop(self.slave);
        let mut rest = Vec::new();
        let mut buffer = [0; 4096];
        // The terminal ends with an error when the last program has left it.
        while let Ok(count @ 1..) = self.screen.read(&mut buffer) {
            rest.extend_from_slice(&buffer[..count]);
        }
        self.shown += &String::from_utf8(rest).unwrap().replace('\r', "");
        (self.shown, code)
    }
}

/// What the command shows on a terminal where a user presses keys, each when one is
/// awaited, and the code that it ends with.
fn pressed(environment: &TestEnvironment, arguments: &[&str], keys: &[Press]) -> (String, i32) {
    let mut review = Review::start(environment, arguments);
    for key in keys {
        review.press(*key);
    }
    review.end()
}

/// The same with keys alone.
fn typed(
    environment: &TestEnvironment,
    arguments: &[&str],
    keys: &[&'static str],
) -> (String, i32) {
    let keys: Vec<_> = keys.iter().copied().map(Press::Key).collect();
    pressed(environment, arguments, &keys)
}

fn statuses(environment: &TestEnvironment) -> Vec<(Value, Value)> {
    let lessons = IDS.iter().map(|id| {
        let lesson: Value = serde_json::from_str(&environment.read(lesson_path(id))).unwrap();
        (lesson["status"].clone(), lesson["approved_by"].clone())
    });
    lessons.collect()
}

#[test]
fn each_lesson_is_decided_on_by_a_letter() {
    let environment = project();
    // Other words decide nothing, and Ctrl-D ends the questions.
    let keys = ["a\n", "\n", "approve\n", "R\n", "v\n", "q\n", "\u{4}"];
    let (shown, code) = typed(&environment, &[], &keys);
    assert_eq!(code, 0, "{shown}");
    assert!(
        shown.contains("[a] Approve  [r] Reject  [v] View Full  [q] Defer"),
        "{shown}"
    );
    assert!(
        shown.contains("reviewer version 1 → 2, 1 change"),
        "{shown}"
    );
    assert!(
        shown.contains("a, r, v or q, and Enter; Ctrl-C ends without a decision\n"),
        "{shown}"
    );
    assert!(shown.contains("cohesion: 0.50"), "{shown}");
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
    let (shown, code) = typed(&environment, &[], &["a\n", "\u{4}"]);
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("ann may not decide on lessons"), "{shown}");
    let undecided = (Value::Null, Value::Null);
    assert_eq!(statuses(&environment), vec![undecided; 4]);
    let (shown, code) = typed(&environment, &["--by", "bob"], &["a\n", "\u{4}"]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(statuses(&environment)[0], (json!("applied"), json!("bob")));
}

#[test]
fn every_way_out_decides_nothing() {
    for (press, code) in [
        (Press::Key("\u{4}"), 0),
        (Press::Signal(Signal::INT), 130),
        (Press::Signal(Signal::TERM), 143),
        (Press::Signal(Signal::HUP), 129),
    ] {
        let environment = project();
        let (shown, ended) = pressed(&environment, &[], &[press]);
        assert_eq!(ended, code, "{shown}");
        let undecided = (Value::Null, Value::Null);
        assert_eq!(statuses(&environment), vec![undecided; 4]);
    }
}
