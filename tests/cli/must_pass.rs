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

/// Puts a test runner on PATH that prints a text.
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
fn a_listed_test_that_was_skipped_or_failed_fails_the_task_by_name() {
    let project = project(
        "cargo test",
        &["`test_needs_net`", "TestStore", "It all works"],
    );
    prints(&project.environment, "cargo", CARGO);
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    let reason = only_task(&report)["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("listed test `test_needs_net` was skipped;"),
        "{reason}"
    );
    list(&project, "cargo test || true", &["`test_keeps_links`"]);
    prints(
        &project.environment,
        "cargo",
        &CARGO.replace("... ok", "... FAILED"),
    );
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    let reason = only_task(&report)["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("listed test `test_keeps_links` failed;"),
        "{reason}"
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
fn a_record_of_other_listed_tests_or_of_none_proves_nothing() {
    let project = project("cargo test", &["`test_keeps_links`"]);
    prints(&project.environment, "cargo", CARGO);
    gate(&project, &[]).exits(0);
    let record = ".ralph-review/records/demo/1.json";
    let json: Value = serde_json::from_str(&project.environment.read(record)).unwrap();
    let tests = |tests: Value| {
        let mut other = json.clone();
        other["must_pass"] = tests;
        project.write(record, other.to_string());
        gate(&project, &["--offline"])
    };
    tests(json["must_pass"].clone()).exits(0);
    tests(Value::Null).exits(3);
    let named = |name: &str, result: &str| json!({"tests": [{"name": name, "result": result}], "unknown_because": null});
    tests(named("test_other", "passed")).exits(3);
    tests(named("test_keeps_links", "not_run")).exits(3);
    list(
        &project,
        "cargo test",
        &["`test_keeps_links`", "`test_gone`"],
    );
    gate(&project, &["--offline"]).exits(3);
    let report = gate(&project, &[]).exits(1).json();
    let reason = report["specs"][0]["tasks"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("listed test `test_gone` did not run"),
        "{reason}"
    );
}

#[test]
fn where_the_runner_names_no_tests_the_task_passes_and_the_report_says_so() {
    let project = project("cargo test -q", &["`test_keeps_links`", "`test_gone`"]);
    let quiet = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
    prints(&project.environment, "cargo", quiet);
    let note = "0 of 2 listed tests known to have passed: tests are not all named by \
                `cargo test` with `-q` or `--nocapture`";
    let ran = project.run(&[]).run().exits(0);
    assert!(ran.stdout.contains(note), "{ran:#?}");
    let report = gate(&project, &[]).exits(0).json();
    let claim = &report["specs"][0]["tasks"][0];
    assert_eq!(claim["status"], "recorded");
    let results = claim["must_pass"]["tests"].as_array().unwrap().iter();
    let results: Vec<_> = results.map(|test| &test["result"]).collect();
    assert_eq!(results, ["unknown", "unknown"]);
    let human = project
        .environment
        .ralph(["gate", "--reviewer", "cmd:judge"]);
    let human = human.exits(0).stdout;
    assert!(human.contains(note), "{human}");
    let junit = project
        .environment
        .ralph(["gate", "--reviewer", "cmd:judge", "--format", "junit"]);
    let junit = junit.exits(0).stdout;
    assert!(junit.contains(&format!("<system-out>{note}")), "{junit}");
}

#[test]
fn cells_that_need_not_name_a_test_fail_nothing() {
    let cells = [
        "`cargo clippy`",
        "`clippy`",
        "Build succeeds",
        "`TestStore`",
        "`a` and `b`",
    ];
    let project = project("cargo test", &cells);
    prints(&project.environment, "cargo", CARGO);
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    let names = only_task(&report)["must_pass"]["tests"]
        .as_array()
        .unwrap()
        .iter();
    let names: Vec<_> = names.map(|test| &test["name"]).collect();
    assert_eq!(names, ["cargo clippy", "clippy", "TestStore"]);
}

#[test]
fn pytest_is_asked_to_name_the_tests_that_passed_unless_the_user_sets_its_options() {
    let project = project("pytest -q", &["`tests/test_a.py::test_reopen`"]);
    project.environment.program(
        "pytest",
        "case $PYTEST_ADDOPTS in -rp*) echo 'PASSED tests/test_a.py::test_keeps';; esac\n\
         echo '1 passed in 0.01s'",
    );
    let run = || project.run(&["--format", "json"]);
    let report = run().run().exits(1).json();
    let reason = only_task(&report)["reason"].as_str().unwrap();
    assert!(
        reason.contains("`tests/test_a.py::test_reopen` did not run"),
        "{reason}"
    );
    let report = run().env("PYTEST_ADDOPTS", "").run().exits(0).json();
    assert_eq!(
        only_task(&report)["must_pass"]["unknown_because"],
        "tests are not all named by `pytest` without `-v`"
    );
}

#[test]
fn a_list_of_commands_is_one_run_of_the_listed_tests() {
    let project = project("x", &["`test_keeps_links`", "`TestStore`"]);
    let file = project.environment.read("tasks/demo/01-step.md");
    project.write(
        "tasks/demo/01-step.md",
        file.replace("\"x\"", "[cargo test, go test -v ./...]"),
    );
    prints(&project.environment, "cargo", CARGO);
    let go = "=== RUN   TestStore\n--- PASS: TestStore (0.00s)\nPASS\nok  \tx/a\t0.1s\n";
    prints(&project.environment, "go", go);
    let ran = project.run(&[]).run().exits(0);
    assert!(
        ran.stdout.contains("2 tests, 2 listed tests passed, "),
        "{ran:#?}"
    );
    prints(
        &project.environment,
        "go",
        &go.replace("TestStore", "TestOther"),
    );
    project.write("changed", "");
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    let reason = only_task(&report)["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("listed test `TestStore` did not run"),
        "{reason}"
    );
}
