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
fn a_listed_test_that_was_skipped_or_failed_fails_the_task_by_name() {
    let project = project("cargo test", &["`test_needs_net`", "It all works"]);
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
fn only_cells_that_can_be_names_are_listed_tests_and_each_has_to_run() {
    let cells = ["Build succeeds", "`a` and `b`", "`test_keeps_links`"];
    let project = project("cargo test", &cells);
    prints(&project.environment, "cargo", CARGO);
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    let tests = only_task(&report)["must_pass"]["tests"].as_array().unwrap();
    let names: Vec<_> = tests.iter().map(|test| &test["name"]).collect();
    assert_eq!(names, ["test_keeps_links"]);
    for name in ["cargo clippy", "clippy", "TestStore"] {
        list(&project, "cargo test", &[&format!("`{name}`")]);
        let report = project.run(&["--format", "json"]).run().exits(1).json();
        assert_eq!(only_task(&report)["status"], "tests_missing", "{name}");
    }
}

#[test]
fn pytest_is_asked_to_name_the_tests_that_passed_beside_the_options_of_the_user() {
    let project = project("pytest -q", &["`tests/test_a.py::test_reopen`"]);
    project.environment.program(
        "pytest",
        "case $PYTEST_ADDOPTS in *-rp*) echo 'PASSED tests/test_a.py::test_keeps';; esac\n\
         echo \"$PYTEST_ADDOPTS\" > \"$HOME/options\"; echo '1 passed in 0.01s'",
    );
    for (set, options) in [
        (None, "-rpXxfE --verbosity=3\n"),
        (Some(""), "-rpXxfE --verbosity=3\n"),
        (Some("-qq"), "-qq -rpXxfE --verbosity=3\n"),
    ] {
        let run = project.run(&["--format", "json"]);
        let run = match set {
            Some(set) => run.env("PYTEST_ADDOPTS", set),
            None => run,
        };
        let report = run.run().exits(1).json();
        let reason = only_task(&report)["reason"].as_str().unwrap();
        assert!(
            reason.contains("`tests/test_a.py::test_reopen` did not run"),
            "{reason}"
        );
        let options_file = project.environment.home().join("options");
        assert_eq!(std::fs::read_to_string(options_file).unwrap(), options);
    }
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
fn a_runner_that_says_in_words_that_it_ran_no_test_has_not_passed() {
    let project = project("ctest --test-dir build -R upload", &[]);
    prints(
        &project.environment,
        "ctest",
        "Test project /home/me/demo/build\nNo tests were found!!!\n",
    );
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    assert_eq!(only_task(&report)["status"], "no_tests");
}

#[test]
fn a_junit_file_that_the_command_wrote_names_its_tests() {
    let command = "ctest --output-junit build/junit.xml";
    let project = project(command, &["`greets`"]);
    let junit = "<testsuite><testcase name=\"greets\" classname=\"greets\"/></testsuite>";
    let said = "100% tests passed, 0 tests failed out of 1";
    let writes = format!("mkdir -p build; echo '{junit}' > build/junit.xml; echo '{said}'");
    project.environment.program("ctest", &writes);
    project.write(".gitignore", "build/\n");
    project.run(&[]).run().exits(0);
    list(&project, command, &["`uploads`"]);
    std::fs::remove_dir_all(project.environment.root().join("build")).unwrap();
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    assert_eq!(only_task(&report)["status"], "tests_missing");
    // A file of an earlier run says nothing of this one.
    project
        .environment
        .program("ctest", &format!("echo '{said}'"));
    let report = project.run(&["--format", "json"]).run().exits(0).json();
    assert_eq!(
        only_task(&report)["must_pass"]["unknown_because"],
        "the names that `ctest` prints are not read"
    );
}

#[test]
fn the_setup_scripts_of_nextest_are_no_tests() {
    let project = project("cargo nextest run", &["`uploads_file`"]);
    prints(
        &project.environment,
        "cargo",
        "    Starting 1 test across 1 binary\n  SETUP PASS [   0.005s] (1/1) db-seed: ./seed.sh\n\
         \x20       PASS [   0.004s] (1/1) demo tests::greets\n\
         \x20    Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n",
    );
    let report = project.run(&["--format", "json"]).run().exits(1).json();
    assert_eq!(only_task(&report)["status"], "tests_missing");
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
    project.write("t.sh", "python3 -m unittest test_sums\n");
    list(&project, "sh t.sh", &["`test_adds`"]);
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(ran.stderr.matches(unnamed).count(), 1, "{ran:#?}");
    project.write(
        "ralph.toml",
        "reviewer = \"cmd:judge\"\n[task]\nrequire_names = true\n",
    );
    let refused = project.run(&[]).run().exits(2);
    assert!(refused.stderr.contains(unnamed), "{refused:#?}");
    let report = gate(&project, &[]).exits(1).json();
    let claim = &report["specs"][0]["tasks"][0];
    assert_eq!(
        claim["reason"].as_str().unwrap().split(';').next(),
        Some(
            "tests_missing: listed test `test_adds` was not named, as `task.require_names` demands"
        )
    );
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
