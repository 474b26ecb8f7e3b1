//! Reviews, gates and lints without a command line.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use review::MemorySink;
use review::events::Event;
use review_embedding_test::Workspace;
use review_engine::gate::{Gate, GateMode};
use review_engine::lint::{Linting, selections};
use review_engine::{ReviewTarget, RunSettings, Stages, start};
use review_report::gate::{ClaimStatus, GateReport, SpecGate};
use review_report::json;
use review_report::lint::sarif;
use review_store::{Overlay, Root, StateDir};
use review_types::{ExitCode, Outcome, Verdict};
use serde_json::{Value as Json, json};

const SPEC: &str = "\
# Example

A spec says what is to be built and how a user can see that it was.

## Requirements

- **FR-1**: The program MUST end with exit code 0 when it is given no input.

## Acceptance

- The command of the task in `tasks/example/01-example.md` passes.
";

const PLAN: &str = "\
---
unit: example
depends_on: []
---

# Implementation plan: example

| # | Task | Depends on | Backpressure |
|---|------|------------|--------------|
| 1 | 01-example.md | None | `grep -q ready NOTES.txt` |
";

const TASK: &str = "\
---
task: 1
status: complete
backpressure: \"grep -q ready NOTES.txt\"
depends_on: []
---

# Example task

**Parent spec**: `/specs/EXAMPLE.md`
**Task**: #1 of 1 in implementation plan

## Objective

Build what FR-1 of the spec asks for.

## Dependencies

None.

## Deliverables

- Modify: `NOTES.txt`: say that it is ready.

## Backpressure

### Validation Command

```bash
grep -q ready NOTES.txt
```

## NOT In Scope

Anything that the spec does not name.
";

fn unit(notes: &str) -> Workspace {
    Workspace::new(&[
        ("specs/EXAMPLE.md", SPEC),
        ("tasks/example/IMPLEMENTATION_PLAN.md", PLAN),
        ("tasks/example/01-example.md", TASK),
        ("NOTES.txt", notes),
    ])
    .unwrap()
}

fn spec_of(workspace: &Workspace) -> ReviewTarget {
    let root = Root::open(&workspace.root()).unwrap();
    let spec = workspace.root().join("specs/EXAMPLE.md");
    ReviewTarget::of_spec(&root, &spec).unwrap().target
}

#[tokio::test]
async fn a_spec_is_reviewed_by_the_embedded_reviewer() {
    let workspace = unit("ready\n");
    let config = workspace.config("").unwrap();
    let settings = RunSettings {
        stages: Stages::Review,
        apply: false,
        ..RunSettings::of(&config, spec_of(&workspace))
    };
    let sink = MemorySink::default();
    let project = workspace.project(&sink).unwrap();
    let mut report = settings.report();
    let end = start(&project, settings).await.unwrap();
    assert_eq!(end.finished.outcome, Outcome::Passed);
    let events = sink.events();
    assert!(matches!(events[0].event, Event::RunStarted(_)));
    for event in &events {
        report.take(event);
    }
    assert_eq!(report.verdict, Some(Verdict::Pass));
    let written: Json = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(written["spec"], "specs/EXAMPLE.md");
    assert_eq!(written["reviewer"], "builtin");
    assert_eq!(written["exit"], 0);
    assert_eq!(written["run"], end.run.as_str());
}

async fn gate(workspace: &Workspace) -> SpecGate {
    let sink = review::NoSink;
    let project = workspace.project(&sink).unwrap();
    let config = workspace.config("").unwrap();
    let settings = RunSettings::of(&config, spec_of(workspace));
    let gate = Gate {
        project: &project,
        mode: GateMode::Verify,
        require_all: false,
        root: ".".to_owned(),
    };
    gate.check(&settings).await.unwrap()
}

#[tokio::test]
async fn a_gate_runs_the_command_of_a_task_that_claims_to_be_complete() {
    let ready = gate(&unit("ready\n")).await;
    assert_eq!(ready.outcome, Outcome::Passed);
    assert_eq!(ready.review.status, ClaimStatus::Passed);
    let names: Vec<_> = ready.tasks.iter().map(|task| &*task.name).collect();
    assert_eq!(names, ["task 1 Example task"]);
    assert_eq!(ready.tasks[0].status, ClaimStatus::Passed);

    let unready = gate(&unit("not yet\n")).await;
    assert_eq!(unready.outcome, Outcome::NotPassed);
    assert_eq!(unready.review.status, ClaimStatus::Passed);
    assert_eq!(unready.tasks[0].status, ClaimStatus::Failed);
    let mut report = GateReport::new(&[]);
    report.push(unready, "run it again".to_owned());
    assert_eq!(report.exit_code(), ExitCode::NotPassed);
}

#[test]
fn a_lint_is_written_as_sarif() {
    let task = TASK.replace("`/specs/EXAMPLE.md`", "`/specs/MISSING.md`");
    let workspace = unit("ready\n");
    workspace
        .write("tasks/example/01-example.md", &task)
        .unwrap();
    let config = workspace.config("").unwrap();
    let root = workspace.root();
    let selected = selections(&[], &root, None, &[]).unwrap();
    let [selection] = selected.as_slice() else {
        panic!("one root: {selected:?}")
    };
    let linting = Linting {
        selection,
        settings: config.lint(&[]),
        fail_level: config.lint.fail_level,
        state: StateDir::at(root.join(".ralph-review")),
        search_path: None,
        only: None,
    };
    let checked = linting.check(&Overlay::default()).unwrap();
    let report = checked.report(&root);
    let log: Json = serde_json::from_str(&sarif(&report, &root)).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let found: Vec<_> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            json!([
                result["ruleId"],
                result["level"],
                place["artifactLocation"]["uri"],
                place["region"]["startLine"],
            ])
        })
        .collect();
    let broken_link = json!(["L1", "error", "tasks/example/01-example.md", 10]);
    assert_eq!(found, [broken_link]);
}
