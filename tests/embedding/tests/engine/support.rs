//! Runs, gates and programs of a project, as a few calls.

use review::MemorySink;
use review_embedding_test::Workspace;
use review_engine::gate::{Gate, GateMode};
use review_engine::{Project, ReviewTarget, RunSettings, start};
use review_report::gate::GateReport;
use review_report::run::RunReport;
use review_store::Root;
use review_test_support::program::write_program;
use serde_json::Value as Json;

/// The answer of a reviewer that is content.
pub(crate) const PASS: &str = r#"{"verdict":"pass","score":{"completeness":90,"consistency":90,"testability":90,"architecture":90},"feedback":[]}"#;

/// Puts a shell script on PATH.
pub(crate) fn program(workspace: &Workspace, name: &str, script: &str) {
    write_program(
        &workspace.bin().join(name),
        &format!("#!/bin/sh\n{script}\n"),
    );
}

/// A file of the project.
pub(crate) fn read(workspace: &Workspace, path: &str) -> String {
    std::fs::read_to_string(workspace.root().join(path)).unwrap()
}

/// The paths of all files of the project, sorted.
pub(crate) fn files(workspace: &Workspace) -> Vec<String> {
    let root = workspace.root();
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let path = path.strip_prefix(&root).unwrap();
                    files.push(path.to_str().unwrap().to_owned());
                }
            }
        }
    }
    files.sort();
    files
}

/// A value as a report writes it.
pub(crate) fn json(value: &impl serde::Serialize) -> Json {
    serde_json::to_value(value).unwrap()
}

/// What a run over `specs/DEMO.md` is asked to do.
pub(crate) fn settings(workspace: &Workspace, config: &str) -> RunSettings {
    let root = Root::open(&workspace.root()).unwrap();
    let spec = workspace.root().join("specs/DEMO.md");
    let target = ReviewTarget::of_spec(&root, &spec).unwrap().target;
    RunSettings::of(&workspace.config(config).unwrap(), target)
}

/// A run in the project, after `change` of the project.
pub(crate) async fn run_in(
    workspace: &Workspace,
    settings: RunSettings,
    change: impl FnOnce(&mut Project<'_>),
) -> RunReport {
    let sink = MemorySink::default();
    let mut project = workspace.project(&sink).unwrap();
    change(&mut project);
    let mut report = settings.report();
    let ended = Box::pin(start(&project, settings)).await.unwrap();
    for event in sink.events() {
        report.take(&event);
    }
    assert_eq!(report.outcome, Some(ended.finished.outcome));
    report
}

pub(crate) async fn run(workspace: &Workspace, config: &str) -> RunReport {
    run_in(workspace, settings(workspace, config), |_| {}).await
}

/// The gate of `specs/DEMO.md`.
pub(crate) async fn gate(workspace: &Workspace, config: &str, mode: GateMode) -> GateReport {
    let sink = review::NoSink;
    let project = workspace.project(&sink).unwrap();
    let gate = Gate {
        project: &project,
        mode,
        require_all: false,
        root: ".".to_owned(),
    };
    let spec = Box::pin(gate.check(&settings(workspace, config))).await;
    let mut report = GateReport::new(&[]);
    report.push(spec.unwrap(), "ralph run specs/DEMO.md".to_owned());
    report
}
