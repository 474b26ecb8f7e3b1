//! What records prove, and the formats of what a gate found.

use review_embedding_test::Workspace;
use review_engine::gate::GateMode;
use review_report::gate::{GateReport, github, gitlab, human, junit, markdown, sarif};
use review_report::{Styling, json as line};
use serde_json::{Value as Json, json};

use crate::support::{PASS, gate, program};

const TASK: &str = "---\ntask: 1\nstatus: complete\nbackpressure: \"test -e made && echo 'test result: ok. 2 passed; 0 failed'\"\ndepends_on: []\n---\n\n# Make it\n\n**Parent spec**: `/specs/DEMO.md`\n";

/// A project with one task that claims to be complete, and is when `made` exists.
fn project() -> Workspace {
    let plan = "---\nunit: demo\ndepends_on: []\n---\n\n# Plan\n\nOne task.\n";
    Workspace::new(&[
        ("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n"),
        ("tasks/demo/IMPLEMENTATION_PLAN.md", plan),
        ("tasks/demo/01-make.md", TASK),
        ("made", ""),
    ])
    .unwrap()
}

/// A second task, which waits for these.
fn second(waits_for: &str) -> String {
    TASK.replace("task: 1", "task: 2").replace("[]", waits_for)
}

fn value(report: &GateReport) -> Json {
    serde_json::from_str(&line(report)).unwrap()
}

/// Outcome of the gate, and the status of its review and its tasks.
fn claims(report: &GateReport) -> Json {
    let report = value(report);
    let spec = &report["specs"][0];
    let tasks = spec["tasks"].as_array().unwrap().iter();
    let tasks: Vec<_> = tasks.map(|task| &task["status"]).collect();
    json!([report["outcome"], spec["review"]["status"], tasks])
}

#[tokio::test]
async fn records_prove_as_much_where_no_cache_can_be_written() {
    let workspace = project();
    let first = gate(&workspace, "", GateMode::Verify).await;
    assert_eq!(claims(&first), json!(["passed", "passed", ["passed"]]));
    let cache = workspace.state().join("cache");
    std::fs::remove_dir_all(&cache).unwrap();
    std::fs::write(cache, "").unwrap();
    let again = gate(&workspace, "", GateMode::Offline).await;
    assert_eq!(claims(&again), json!(["passed", "recorded", ["recorded"]]));
}

#[tokio::test]
async fn records_alone_prove_nothing_of_another_tree() {
    let workspace = project();
    let none = gate(&workspace, "", GateMode::Offline).await;
    let expected = json!(["no_verdict", "unproven", ["unproven"]]);
    assert_eq!(claims(&none), expected);
    gate(&workspace, "", GateMode::Verify).await;
    workspace.write("other", "new").unwrap();
    let tree = gate(&workspace, "", GateMode::Offline).await;
    let of_tree = json!(["no_verdict", "recorded", ["unproven"]]);
    assert_eq!(claims(&tree), of_tree);
    workspace
        .write("specs/DEMO.md", "# Demo\n\n## Goal\n\nAnother demo.\n")
        .unwrap();
    let spec = gate(&workspace, "", GateMode::Offline).await;
    assert_eq!(claims(&spec), expected);
}

#[tokio::test]
async fn a_task_that_claims_too_early_fails_without_being_run() {
    let workspace = project();
    let pending = TASK.replace("task: 1", "task: 3");
    for (path, text) in [
        ("tasks/demo/02-use.md", second("[3]")),
        (
            "tasks/demo/03-plan.md",
            pending.replace("complete", "pending"),
        ),
    ] {
        workspace.write(path, &text).unwrap();
    }
    let report = gate(&workspace, "", GateMode::Verify).await;
    let expected = json!(["not_passed", "passed", ["passed", "failed"]]);
    assert_eq!(claims(&report), expected);
    assert_eq!(
        value(&report)["specs"][0]["tasks"][1]["reason"],
        "depends on task 3, which is not complete"
    );
}

#[tokio::test]
async fn a_spec_that_needs_revision_fails_the_gate_at_each_line_that_was_found() {
    let workspace = project();
    workspace
        .write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n\nTBD\n")
        .unwrap();
    let report = gate(&workspace, "", GateMode::Verify).await;
    let expected = json!(["not_passed", "failed", ["passed"]]);
    assert_eq!(claims(&report), expected);
    let found = value(&report);
    let reason = found["specs"][0]["review"]["reason"].as_str().unwrap();
    assert!(reason.contains("[S2]"), "{reason}");
    workspace
        .write("tasks/demo/01-make.md", &format!("{TASK}\nTBD\n"))
        .unwrap();
    let report = gate(&workspace, "", GateMode::Verify).await;
    let annotations = github(&report, &workspace.root());
    let places: Vec<_> = annotations
        .lines()
        .filter(|line| line.contains("[S2]"))
        .map(|line| line.split_once(",endLine").unwrap().0)
        .collect();
    assert_eq!(
        places,
        [
            "::error file=specs/DEMO.md,line=7",
            "::error file=tasks/demo/01-make.md,line=12"
        ]
    );
}

#[tokio::test]
async fn a_gate_shows_the_end_of_what_failed() {
    let workspace = project();
    let failing = TASK.replace("test -e made", "echo 'no such | index'; test -e none");
    workspace.write("tasks/demo/01-make.md", &failing).unwrap();
    let report = gate(&workspace, "", GateMode::Verify).await;
    let claim = value(&report)["specs"][0]["tasks"][0].take();
    assert_eq!(claim["output"], "no such | index\n");
    let shown = human(&report, Styling::Plain);
    let tail = "\n    | no such | index\n\nnot_passed 2 claims";
    assert!(shown.contains(tail), "{shown}");
    let summary = markdown(&report);
    let head = "### ralph gate: not_passed\n\n2 claims in 1 spec, 1 open\n";
    assert!(summary.starts_with(head), "{summary}");
    let output = "<details><summary>task 1 Make it</summary>\n\n```text\nno such | index\n```\n";
    assert!(summary.contains(output), "{summary}");
}

#[tokio::test]
async fn junit_tells_failures_with_their_output_and_what_was_skipped() {
    let workspace = project();
    let failing = TASK.replace("test -e made", "echo 'a < b'; test -e none");
    workspace.write("tasks/demo/01-make.md", &failing).unwrap();
    workspace
        .write("tasks/demo/02-use.md", &second("[1]"))
        .unwrap();
    let report = gate(&workspace, "", GateMode::Verify).await;
    let expected = json!(["not_passed", "passed", ["failed", "skipped"]]);
    assert_eq!(claims(&report), expected);
    let text = junit(&report);
    let start = text.find("    <testcase classname=\"specs/DEMO.md\" name=\"task 1");
    let (head, tasks) = text.split_at(start.expect("the case of task 1"));
    let counts = "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"";
    assert_eq!(head.matches(counts).count(), 2, "{head}");
    let tasks: Vec<_> = tasks.lines().map(str::trim).collect();
    assert!(tasks[1].starts_with("<failure message=\"failed: exit status 1 (log: "));
    assert_eq!(
        tasks[2..4],
        ["<system-out>a &lt; b", "</system-out>"],
        "{tasks:#?}"
    );
    assert_eq!(
        tasks[6], "<skipped message=\"waits for #1\">waits for #1</skipped>",
        "{tasks:#?}"
    );
}

#[tokio::test]
async fn junit_has_a_failure_where_a_unit_cannot_be_trusted() {
    let workspace = project();
    program(&workspace, "judge", &format!("echo '{PASS}'"));
    workspace
        .write("tasks/demo/02-use.md", &TASK.replace("[]", "[7]"))
        .unwrap();
    let report = gate(&workspace, "reviewer = \"cmd:judge\"\n", GateMode::Verify).await;
    let text = junit(&report);
    let counts = "tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\"";
    assert!(text.contains(counts), "{text}");
    let case = "    <testcase classname=\"specs/DEMO.md\" name=\"unit\" time=\"0.000\">\n      \
                <failure message=\"tasks/demo/02-use.md:2: task number 1 is used twice";
    assert!(text.contains(case), "{text}");
}

/// Rule, level, file and lines of each result of a SARIF log.
fn results(log: &Json) -> Vec<Json> {
    let results = log["runs"][0]["results"].as_array().unwrap().iter();
    let results = results.map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let (uri, region) = (&place["artifactLocation"]["uri"], &place["region"]);
        let lines = [&region["startLine"], &region["endLine"]];
        json!([result["ruleId"], result["level"], uri, lines])
    });
    results.collect()
}

fn log(workspace: &Workspace, report: &GateReport) -> Json {
    serde_json::from_str(&sarif(report, &workspace.root())).unwrap()
}

#[tokio::test]
async fn a_sarif_log_has_a_result_for_each_annotation() {
    let workspace = project();
    workspace
        .write("specs/DEMO.md", "# Demo\n\n## Goal\n\nA demo.\n\nTBD\n")
        .unwrap();
    std::fs::remove_file(workspace.root().join("made")).unwrap();
    workspace
        .write("tasks/demo/02-use.md", &second("[1]"))
        .unwrap();
    let report = gate(&workspace, "", GateMode::Verify).await;
    let log = log(&workspace, &report);
    assert_eq!(
        json!(results(&log)),
        json!([
            ["claim_failed", "error", "tasks/demo/01-make.md", [1, 1]],
            ["review", "error", "specs/DEMO.md", [7, 7]],
            ["review", "warning", "tasks/demo/01-make.md", [8, 8]],
            ["review", "warning", "tasks/demo/02-use.md", [8, 8]],
        ])
    );
    let run = &log["runs"][0];
    let invocation = json!([{ "executionSuccessful": true, "exitCode": 1 }]);
    assert_eq!(run["invocations"], invocation);
    let properties = json!({ "v": 1, "outcome": "not_passed" });
    assert_eq!(run["properties"], properties);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["suppressions"], json!([]));
    }
    let shown = github(&report, &workspace.root());
    let counts = ["::error ", "::warning "].map(|level| shown.matches(level).count());
    assert_eq!(counts, [2, 2], "{shown}");
}

#[tokio::test]
async fn a_sarif_log_of_a_gate_without_a_verdict_is_that_of_a_failed_execution() {
    let workspace = project();
    let report = gate(&workspace, "", GateMode::Offline).await;
    let failed = log(&workspace, &report);
    let invocation = json!([{ "executionSuccessful": false, "exitCode": 3 }]);
    assert_eq!(failed["runs"][0]["invocations"], invocation);
    assert_eq!(
        json!(results(&failed)),
        json!([
            ["claim_unproven", "error", "tasks/demo/01-make.md", [1, 1]],
            ["claim_unproven", "error", "specs/DEMO.md", [1, 1]],
        ])
    );
    let report = gate(&workspace, "", GateMode::Verify).await;
    assert_eq!(results(&log(&workspace, &report)), [Json::Null; 0]);
}

#[tokio::test]
async fn an_entry_of_code_quality_has_the_same_fingerprint_each_time() {
    let workspace = project();
    std::fs::remove_file(workspace.root().join("made")).unwrap();
    let mut entries = Vec::new();
    for command in ["test -e made", "exit 3"] {
        let task = TASK.replace("test -e made", command);
        workspace.write("tasks/demo/01-make.md", &task).unwrap();
        let report = gate(&workspace, "", GateMode::Verify).await;
        let written: Json = serde_json::from_str(&gitlab(&report, &workspace.root())).unwrap();
        entries.push(written[0].clone());
    }
    let other = "task 1 Make it: failed: exit status 3";
    assert_eq!(entries[1]["description"], other);
    assert_eq!(entries[0]["fingerprint"], entries[1]["fingerprint"]);
    let entry = entries[0].as_object_mut().unwrap();
    let description = entry.remove("description").unwrap();
    assert_eq!(description, "task 1 Make it: failed: exit status 1");
    let fingerprint = entry.remove("fingerprint").unwrap();
    assert_eq!(fingerprint.as_str().unwrap().len(), 64);
    assert_eq!(
        entries[0],
        json!({
            "check_name": "claim_failed",
            "severity": "critical",
            "location": { "path": "tasks/demo/01-make.md", "lines": { "begin": 1 } },
        })
    );
}
