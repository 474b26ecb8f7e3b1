//! What runs show of the versions of prompts that they used.

use serde_json::{Value as Json, json};

use crate::scripted::{PASS, REVISE, Scripted};

const REVIEWER: &str = ".aiwg/.prompts/reviewer/v1.performance.json";
const APPLIER: &str = ".aiwg/.prompts/applier/v1.performance.json";

/// A project that learns, whose applier adds a line and whose reviewer wants
/// that once.
fn project() -> Scripted {
    let project = Scripted::new(&["true"]);
    project.write("ralph.toml", "[learning]\n");
    project.reviewer(&format!(
        "cat >/dev/null\nif [ $RALPH_ITERATION = 1 ]; then echo '{REVISE}'; else echo '{PASS}'; fi"
    ));
    project.applier("cat >/dev/null\necho mended >> \"$RALPH_SPEC\"");
    project
}

fn performance(project: &Scripted, path: &str) -> Json {
    serde_json::from_str(&project.environment.read(path)).unwrap()
}

fn is_noted(project: &Scripted) -> bool {
    project
        .environment
        .root()
        .join(".aiwg")
        .join(".prompts")
        .exists()
}

#[test]
fn a_run_is_noted_beside_the_versions_that_it_used() {
    let project = project();
    let ran = project.run(&["--format", "json"]).run().exits(0).json();
    let observation = |quality: f64| {
        json!({
            "run": ran["run"], "task": "specs/DEMO.md", "error": false, "quality": quality,
            "completed": true,
        })
    };
    let reviewer = performance(&project, REVIEWER);
    let expected = json!({
        "v": 1, "agent": "reviewer", "version": 1, "activated_at": null, "p0": null,
        "baseline_runs": 0, "watched_from": 0, "observations": [observation(100.0)],
    });
    assert_eq!(reviewer, expected);
    let applier = performance(&project, APPLIER);
    assert_eq!(applier["observations"], json!([observation(90.0)]));
    project.run(&[]).run().exits(0);
    let runs = performance(&project, REVIEWER)["observations"].take();
    assert_eq!(runs.as_array().map(Vec::len), Some(2));
}

#[test]
fn a_run_that_goes_on_is_noted_once() {
    let project = project();
    project.run(&["--max-iterations", "1"]).run().exits(1);
    let first = performance(&project, REVIEWER)["observations"].take();
    assert_eq!(first[0]["completed"], false);
    project.resume(&["--max-iterations", "3"]).run().exits(0);
    let last = performance(&project, REVIEWER)["observations"].take();
    assert_eq!(last.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&last[0]["run"], &last[0]["completed"]),
        (&first[0]["run"], &json!(true))
    );
}

#[test]
fn the_version_before_is_the_baseline_of_the_active_one() {
    let project = project();
    let seen = |run: usize| json!({"run": format!("r-{run}"), "task": "a", "error": run < 2, "quality": null, "completed": true});
    let before = json!({
        "v": 1, "agent": "applier", "version": 1, "activated_at": null, "p0": null,
        "baseline_runs": 0, "watched_from": 0,
        "observations": (0..20).map(seen).collect::<Vec<Json>>(),
    });
    project.write(APPLIER, before.to_string());
    let since = "2026-03-01T12:00:00Z";
    let active = |version: u32, previous: u32| {
        json!({"v": 1, "version": version, "since": since, "previous": previous}).to_string()
    };
    let file = ".aiwg/.prompts/applier/active.json";
    // A rollback goes back to a version, which is not held against the one that
    // it took the place of.
    project.write(file, active(1, 2));
    project.run(&[]).run().exits(0);
    assert_eq!(performance(&project, APPLIER)["activated_at"], Json::Null);
}

#[test]
fn nothing_is_noted_where_nothing_is_learned() {
    let off = project();
    off.write("ralph.toml", "");
    off.run(&[]).run().exits(0);
    assert!(!is_noted(&off));
    let unapplied = project();
    unapplied.run(&["--no-apply"]).run().exits(1);
    assert!(!is_noted(&unapplied));
    let embedded = project();
    let command = [
        "run",
        "--reviewer",
        "builtin",
        "--applier-cmd",
        "mend",
        "--no-tasks",
    ];
    embedded.environment.ralph(command);
    assert!(!embedded.environment.root().join(REVIEWER).exists());
}

#[test]
fn a_file_that_is_damaged_is_a_warning_and_stays() {
    let project = project();
    project.write(REVIEWER, "{");
    let ran = project.run(&[]).run().exits(0);
    assert!(
        ran.stderr.contains("nothing was learned from this run"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(REVIEWER), "{}", ran.stderr);
    assert_eq!(project.environment.read(REVIEWER), "{");
}
