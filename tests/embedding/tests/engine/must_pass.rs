//! The tests that a task lists must run and pass.

use review_embedding_test::Workspace;
use review_engine::gate::GateMode;
use review_report::Styling;
use review_report::gate::{GateReport, human, junit};
use serde_json::{Value as Json, json};

use crate::support::{PASS, gate, json as value, program, run, run_in, settings};

/// What `cargo test` prints of a project with one test and one that is ignored.
const CARGO: &str = "running 2 tests\ntest store::test_keeps_links ... ok\n\
                     test store::test_needs_net ... ignored\n\n\
                     test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";

/// A reviewer that is content with every spec.
const CONFIG: &str = "reviewer = \"cmd:judge\"\n";

const FILE: &str = "tasks/demo/01-step.md";

/// A project whose only task runs `command` and lists these tests.
fn project(command: &str, listed: &[&str]) -> Workspace {
    let plan = "---\nunit: demo\ndepends_on: []\n---\n\n# Plan\n";
    let workspace = Workspace::new(&[
        ("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n"),
        ("tasks/demo/IMPLEMENTATION_PLAN.md", plan),
    ])
    .unwrap();
    program(
        &workspace,
        "judge",
        &format!("cat > /dev/null; echo '{PASS}'"),
    );
    list(&workspace, command, listed);
    workspace
}

fn list(workspace: &Workspace, command: &str, listed: &[&str]) {
    let rows = listed.iter().map(|cell| format!("| {cell} | it does |\n"));
    let table: String = rows.collect();
    let text = format!(
        "---\ntask: 1\nstatus: complete\nbackpressure: {command:?}\ndepends_on: []\n---\n\n\
         # Step\n\n**Parent spec**: `/specs/DEMO.md`\n\n## Backpressure\n\n### Must Pass\n\n\
         | Test | Assertion |\n|------|-----------|\n{table}"
    );
    workspace.write(FILE, &text).unwrap();
}

/// Puts a test runner on PATH that prints a string.
fn prints(workspace: &Workspace, runner: &str, text: &str) {
    program(workspace, runner, &format!("cat <<'END'\n{text}END"));
}

/// The task after a run.
async fn task(workspace: &Workspace) -> Json {
    value(&run(workspace, CONFIG).await)["tasks"][0].take()
}

fn claim(report: &GateReport) -> Json {
    value(report)["specs"][0]["tasks"][0].take()
}

#[tokio::test]
async fn a_listed_test_that_was_skipped_or_failed_fails_the_task_by_name() {
    let project = project("cargo test", &["`test_needs_net`", "It all works"]);
    prints(&project, "cargo", CARGO);
    let task_of = task(&project).await;
    let reason = task_of["reason"].as_str().unwrap();
    let skipped = "listed test `test_needs_net` was skipped;";
    assert!(reason.starts_with(skipped), "{reason}");
    list(&project, "cargo test || true", &["`test_keeps_links`"]);
    prints(&project, "cargo", &CARGO.replace("... ok", "... FAILED"));
    let task_of = task(&project).await;
    let reason = task_of["reason"].as_str().unwrap();
    let failed = "listed test `test_keeps_links` failed;";
    assert!(reason.starts_with(failed), "{reason}");
}

#[tokio::test]
async fn a_record_of_other_listed_tests_or_of_none_proves_nothing() {
    let project = project("cargo test", &["`test_keeps_links`"]);
    prints(&project, "cargo", CARGO);
    gate(&project, CONFIG, GateMode::Verify).await;
    let record = project.state().join("records/demo/1.json");
    let text = std::fs::read_to_string(&record).unwrap();
    let kept: Json = serde_json::from_str(&text).unwrap();
    let named = |name: &str, result: &str| json!({"tests": [{"name": name, "result": result}], "unknown_because": null});
    for (tests, expected) in [
        (kept["must_pass"].clone(), "recorded"),
        (Json::Null, "unproven"),
        (named("test_other", "passed"), "unproven"),
        (named("test_keeps_links", "not_run"), "unproven"),
    ] {
        let mut other = kept.clone();
        other["must_pass"] = tests;
        std::fs::write(&record, other.to_string()).unwrap();
        let report = gate(&project, CONFIG, GateMode::Offline).await;
        assert_eq!(claim(&report)["status"], expected, "{other}");
    }
    let both = ["`test_keeps_links`", "`test_gone`"];
    list(&project, "cargo test", &both);
    let offline = gate(&project, CONFIG, GateMode::Offline).await;
    assert_eq!(claim(&offline)["status"], "unproven");
    let failed = claim(&gate(&project, CONFIG, GateMode::Verify).await);
    let reason = failed["reason"].as_str().unwrap();
    let gone = "listed test `test_gone` did not run";
    assert!(reason.contains(gone), "{reason}");
}

#[tokio::test]
async fn where_the_runner_names_no_tests_the_task_passes_and_the_report_says_so() {
    let project = project("cargo test -q", &["`test_keeps_links`", "`test_gone`"]);
    let quiet = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
    prints(&project, "cargo", quiet);
    let note = "0 of 2 listed tests known to have passed: tests are not all named by \
                `cargo test` with `-q` or `--nocapture`";
    assert_eq!(task(&project).await["status"], "passed");
    let report = gate(&project, CONFIG, GateMode::Verify).await;
    let claim = claim(&report);
    assert_eq!(claim["status"], "recorded");
    let results = claim["must_pass"]["tests"].as_array().unwrap().iter();
    let results: Vec<_> = results.map(|test| &test["result"]).collect();
    assert_eq!(results, ["unknown", "unknown"]);
    let shown = human(&report, Styling::Plain);
    assert!(shown.contains(note), "{shown}");
    let xml = junit(&report);
    assert!(xml.contains(&format!("<system-out>{note}")), "{xml}");
}

#[tokio::test]
async fn only_cells_that_can_be_names_are_listed_tests_and_each_has_to_run() {
    let cells = ["Build succeeds", "`a` and `b`", "`test_keeps_links`"];
    let project = project("cargo test", &cells);
    prints(&project, "cargo", CARGO);
    let passed = task(&project).await;
    let tests = passed["must_pass"]["tests"].as_array().unwrap();
    let names: Vec<_> = tests.iter().map(|test| &test["name"]).collect();
    assert_eq!(names, ["test_keeps_links"]);
    for name in ["cargo clippy", "clippy", "TestStore"] {
        list(&project, "cargo test", &[&format!("`{name}`")]);
        let status = task(&project).await["status"].take();
        assert_eq!(status, "tests_missing", "{name}");
    }
}

#[tokio::test]
async fn pytest_is_asked_to_name_the_tests_that_passed_beside_the_options_of_the_user() {
    let project = project("pytest -q", &["`tests/test_a.py::test_reopen`"]);
    program(
        &project,
        "pytest",
        "case $PYTEST_ADDOPTS in *-rp*) echo 'PASSED tests/test_a.py::test_keeps';; esac\n\
         echo \"$PYTEST_ADDOPTS\" > \"$HOME/options\"; echo '1 passed in 0.01s'",
    );
    for (set, options) in [
        (None, "-rpXxfE --verbosity=3\n"),
        (Some(""), "-rpXxfE --verbosity=3\n"),
        (Some("-qq"), "-qq -rpXxfE --verbosity=3\n"),
    ] {
        let report = run_in(&project, settings(&project, CONFIG), |project| {
            if let Some(set) = set {
                project.env.insert("PYTEST_ADDOPTS".into(), set.into());
            }
        });
        let task = value(&report.await)["tasks"][0].take();
        let reason = task["reason"].as_str().unwrap();
        let missing = "`tests/test_a.py::test_reopen` did not run";
        assert!(reason.contains(missing), "{reason}");
        let given = std::fs::read_to_string(project.home().join("options")).unwrap();
        assert_eq!(given, options);
    }
}

#[tokio::test]
async fn a_runner_that_says_in_words_that_it_ran_no_test_has_not_passed() {
    let project = project("ctest --test-dir build -R upload", &[]);
    let none = "Test project /home/me/demo/build\nNo tests were found!!!\n";
    prints(&project, "ctest", none);
    assert_eq!(task(&project).await["status"], "no_tests");
}

#[tokio::test]
async fn a_junit_file_that_the_command_wrote_names_its_tests() {
    let command = "ctest --output-junit build/junit.xml";
    let project = project(command, &["`greets`"]);
    let junit = "<testsuite><testcase name=\"greets\" classname=\"greets\"/></testsuite>";
    let said = "100% tests passed, 0 tests failed out of 1";
    let writes = format!("mkdir -p build; echo '{junit}' > build/junit.xml; echo '{said}'");
    program(&project, "ctest", &writes);
    project.write(".gitignore", "build/\n").unwrap();
    assert_eq!(task(&project).await["status"], "passed");
    list(&project, command, &["`uploads`"]);
    std::fs::remove_dir_all(project.root().join("build")).unwrap();
    assert_eq!(task(&project).await["status"], "tests_missing");
    // A file of an earlier run says nothing of this one.
    program(&project, "ctest", &format!("echo '{said}'"));
    let unknown = task(&project).await["must_pass"]["unknown_because"].take();
    assert_eq!(unknown, "the names that `ctest` prints are not read");
}

#[tokio::test]
async fn the_setup_scripts_of_nextest_are_no_tests() {
    let project = project("cargo nextest run", &["`uploads_file`"]);
    prints(
        &project,
        "cargo",
        "    Starting 1 test across 1 binary\n  SETUP PASS [   0.005s] (1/1) db-seed: ./seed.sh\n\
         \x20       PASS [   0.004s] (1/1) demo tests::greets\n\
         \x20    Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n",
    );
    assert_eq!(task(&project).await["status"], "tests_missing");
}

#[tokio::test]
async fn a_list_of_commands_is_one_run_of_the_listed_tests() {
    let project = project("x", &["`test_keeps_links`", "`TestStore`"]);
    let text = crate::support::read(&project, FILE);
    let steps = text.replace("\"x\"", "[cargo test, go test -v ./...]");
    project.write(FILE, &steps).unwrap();
    prints(&project, "cargo", CARGO);
    let go = "=== RUN   TestStore\n--- PASS: TestStore (0.00s)\nPASS\nok  \tx/a\t0.1s\n";
    prints(&project, "go", go);
    let passed = task(&project).await;
    assert_eq!(passed["tests_run"], 2);
    let tests = passed["must_pass"]["tests"].as_array().unwrap().iter();
    let results: Vec<_> = tests.map(|test| &test["result"]).collect();
    assert_eq!(results, ["passed", "passed"]);
    prints(&project, "go", &go.replace("TestStore", "TestOther"));
    project.write("changed", "").unwrap();
    let missing = task(&project).await;
    let reason = missing["reason"].as_str().unwrap();
    let not_run = "listed test `TestStore` did not run";
    assert!(reason.starts_with(not_run), "{reason}");
}
