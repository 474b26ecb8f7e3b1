//! The tests that a task lists must run and pass.

use serde_json::{Value, json};

use crate::scripted::{PASS, Scripted};
use crate::support::{Ran, TestEnvironment};

/// What `cargo test` prints of a project with one test and one that is ignored.
const CARGO: &str = "running 2 tests\ntest store::test_keeps_links ... ok\n\
                     test store::test_needs_net ... ignored\n\n\
                     test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";

/// A project whose only task runs `command` and lists these tests.
fn project(command: &str, listed: &[&str]) -> Scripted {
    let project = Scripted::new(&[]);
    project.reviewer(&format!("echo '{PASS}'"));
    list(&project, command, listed);
    project
}

fn list(project: &Scripted, command: &str, listed: &[&str]) {
    let rows = listed.iter().map(|cell| format!("| {cell} | it does |\n"));
    let table: String = rows.collect();
    project.write(
        "tasks/demo/01-step.md",
        format!(
            "---\ntask: 1\nstatus: complete\nbackpressure: {command:?}\ndepends_on: []\n---\n\n\
             # Step\n\n**Parent spec**: `/specs/DEMO.md`\n\n## Backpressure\n\n### Must Pass\n\n\
             | Test | Assertion |\n|------|-----------|\n{table}"
        ),
    );
}

/// Puts a test runner on PATH that prints a string.
fn prints(environment: &TestEnvironment, runner: &str, text: &str) {
    environment.program(runner, &format!("cat <<'END'\n{text}END"));
}

fn gate(project: &Scripted, more: &[&str]) -> Ran {
    let arguments = ["gate", "--reviewer", "cmd:judge", "--format", "json"];
    project.environment.ralph(arguments.iter().chain(more))
}

fn only_task(report: &Value) -> &Value {
    &report["tasks"][0]
}

#[test]
fn a_listed_test_that_did_not_run_fails_the_task_by_name() {
    let project = project(
        "cargo test",
        &["`test_keeps_links`", "`test_reopen_keeps_links`"],
    );
    prints(&project.environment, "cargo", CARGO);
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    let task = only_task(&report);
    assert_eq!(task["status"], "tests_missing");
    assert_eq!(
        task["reason"],
        "listed test `test_reopen_keeps_links` did not run; make it run and pass, or correct the \
         Must Pass table"
    );
    assert_eq!(
        task["must_pass"],
        json!({
            "tests": [
                {"name": "test_keeps_links", "result": "passed"},
                {"name": "test_reopen_keeps_links", "result": "not_run"},
            ],
            "unknown_because": null,
        })
    );
    assert_eq!(
        report["block_reason"],
        "1 of 1 task did not pass: task 1 tests_missing"
    );
    let file = project.environment.read("tasks/demo/01-step.md");
    assert!(file.contains("\nstatus: pending\n"), "{file}");
    project.write("tasks/demo/01-step.md", file.replace("pending", "complete"));
    let report = gate(&project, &[]).exits(1).json();
    let claim = &report["specs"][0]["tasks"][0];
    assert_eq!(claim["status"], "failed");
    let reason = claim["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("tests_missing: listed test `test_reopen_keeps_links` did not run;"),
        "{reason}"
    );
    let ran = project
        .environment
        .ralph(["gate", "--reviewer", "cmd:judge", "--format", "junit"]);
    let junit = ran.exits(1).stdout;
    assert!(
        junit.contains("<failure message=\"tests_missing: listed test `test_reopen_keeps_links`"),
        "{junit}"
    );
}

#[test]
fn listed_tests_that_passed_are_told_and_the_record_serves_the_gate() {
    let project = project("cargo test", &["`store::test_keeps_links`"]);
    prints(&project.environment, "cargo", CARGO);
    let ran = project.run(&[]).run().exits(0);
    assert!(
        ran.stdout.contains("1 test, 1 listed test passed, "),
        "{ran:#?}"
    );
    let report = gate(&project, &["--offline"]).exits(0).json();
    let claim = &report["specs"][0]["tasks"][0];
    assert_eq!(claim["status"], "recorded");
    assert_eq!(claim["must_pass"]["tests"][0]["result"], "passed");
}

#[test]
fn node_names_its_tests_and_a_file_without_tests_is_none() {
    let tests = "import test from \"node:test\";\ntest(\"greets\", () => {});\n";
    let project = project("node --test a.test.mjs", &["`greets`"]);
    project.write("a.test.mjs", tests);
    project.run(&[]).run().exits(0);
    for listed in ["uploads", "uploadsFile", "greets twice", "gree"] {
        let cell = format!("`{listed}`");
        list(&project, "node --test a.test.mjs", &[&cell]);
        let report = project.run(&["--format", "json"]).run().exits(1).json();
        assert_eq!(only_task(&report)["status"], "tests_missing", "{listed}");
    }
    project.write("a.test.mjs", "import \"node:assert\";\n");
    for reporter in ["tap", "spec"] {
        let command = format!("node --test --test-reporter={reporter} a.test.mjs");
        list(&project, &command, &[]);
        let report = project.run(&["--format", "json"]).run().exits(1).json();
        assert_eq!(only_task(&report)["status"], "no_tests", "{reporter}");
    }
}

#[test]
fn that_tests_are_not_named_is_said_before_anything_is_paid_for_and_can_be_refused() {
    let python = "import unittest\n\nclass Sums(unittest.TestCase):\n    \
                  def test_adds(self):\n        \"\"\"Adds.\"\"\"\n";
    let project = project("python3 -m unittest test_sums", &["`test_adds`"]);
    project.write("test_sums.py", python);
    let unnamed = "listed tests are not checked by name in task 1: \
                   tests are not named by `unittest` without `-v`";
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(ran.stderr.matches(unnamed).count(), 1, "{ran:#?}");
    project.write(
        "ralph.toml",
        "reviewer = \"cmd:judge\"\n[task]\nrequire_names = true\n",
    );
    let missing = "listed test `test_adds` was not named, as `task.require_names` demands";
    let report = gate(&project, &[]).exits(1).json();
    let claim = &report["specs"][0]["tasks"][0];
    assert_eq!(
        claim["reason"].as_str().unwrap().split(';').next(),
        Some(&*format!("tests_missing: {missing}"))
    );
    let refused = project.run(&[]).run().exits(2);
    assert!(refused.stderr.contains(unnamed), "{refused:#?}");
    list(
        &project,
        "python3 -m unittest -v test_sums",
        &["`test_adds`"],
    );
    let ran = project.run(&[]).run().exits(0);
    assert!(!ran.stderr.contains("not checked by name"), "{ran:#?}");
    list(
        &project,
        "python3 -m unittest -v test_sums",
        &["`test_subs`"],
    );
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    assert_eq!(only_task(&report)["status"], "tests_missing");
}
