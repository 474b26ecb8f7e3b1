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
    project.applier("cat >/dev/null\necho fixed >> \"$RALPH_SPEC\"");
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
            "completed": true, "rounds": 2,
        })
    };
    let reviewer = performance(&project, REVIEWER);
    let expected = json!({
        "v": 1, "agent": "reviewer", "version": 1, "activated_at": null, "watched_from": 0, "observations": [observation(100.0)],
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
fn a_version_that_is_used_again_is_watched_anew() {
    let project = project();
    let seen = |run: usize| json!({"run": format!("r-{run}"), "task": "a", "error": run < 2, "quality": null, "completed": true});
    let before = json!({
        "v": 1, "agent": "applier", "version": 1, "activated_at": null, "watched_from": 0,
        "observations": (0..20).map(seen).collect::<Vec<Json>>(),
    });
    project.write(APPLIER, before.to_string());
    let since = "2026-03-01T12:00:00Z";
    let active = |version: u32, previous: u32| {
        json!({"v": 1, "version": version, "since": since, "previous": previous}).to_string()
    };
    let file = ".aiwg/.prompts/applier/active.json";
    // A rollback goes back to a version, which is watched anew.
    project.write(file, active(1, 2));
    project.run(&[]).run().exits(0);
    let known = performance(&project, APPLIER);
    assert_eq!(known["activated_at"], since);
    assert_eq!(known["watched_from"], 20);
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
        "--applier",
        "cmd:fix",
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

/// A project whose applier has a second version after 6 runs without an error,
/// and changes nothing under it.
fn degraded(config: &str) -> Scripted {
    let project = project();
    project.write("ralph.toml", config);
    project.applier("cat >/dev/null");
    let seen = |run: usize| json!({"run": format!("r-{run}"), "task": "a", "error": false, "quality": null, "completed": true});
    let before = json!({
        "v": 1, "agent": "applier", "version": 1, "activated_at": null, "watched_from": 0,
        "observations": (0..6).map(seen).collect::<Vec<Json>>(),
    });
    project.write(APPLIER, before.to_string());
    approve(&project, LESSON, "Change nothing.");
    project
}

const LESSON: &str = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3";

fn lesson_path(id: &str) -> String {
    format!(".aiwg/.lessons/applier/{id}.json")
}

/// Writes a lesson, which an approval puts into the next version.
fn approve(project: &Scripted, id: &str, text: &str) {
    let lesson = json!({
        "id": id, "agent": "applier", "lesson_text": "Edits did harm.",
        "constraint_update": text, "source_feedback": [],
    });
    project.write(&lesson_path(id), lesson.to_string());
    let approve = ["learn", "decide", id, "--approve", "--by", "ann"];
    project.environment.ralph(approve).exits(0);
}

fn active(project: &Scripted) -> Json {
    performance(project, ".aiwg/.prompts/applier/active.json")["version"].take()
}

#[test]
fn a_version_that_errs_more_often_is_rolled_back() {
    let project = degraded("[learning]\n");
    assert_eq!(active(&project), 2);
    for _ in 0..4 {
        project.run(&[]).run().exits(1);
    }
    assert_eq!(active(&project), 2);
    let told = project.run(&[]).run().exits(1).stderr;
    let expected = "version 2 of the prompt of applier failed in 5 of 5 runs, earlier ones in 0 of 6 runs: version 1 is in use again";
    assert!(told.contains(expected), "{told}");
    assert_eq!(active(&project), 1);
    let second = performance(&project, ".aiwg/.prompts/applier/v2.performance.json");
    let why =
        "version 2 of the prompt of applier failed in 5 of 5 runs, earlier ones in 0 of 6 runs";
    let history = project.environment.ralph(["learn", "show", "applier"]);
    let history = history.exits(0).stdout;
    let last = format!("    cause: degradation\n    from: 2\n    reason: {why}\n    to: 1\n");
    assert!(history.contains(&last), "{history}");
    let compare = ["learn", "stats", "applier", "v1", "v2"];
    let compared = project.environment.ralph(compare).exits(1).stdout;
    let back = format!("  cause: degradation\n  from: 2\n  reason: {why}\n  to: 1\n");
    assert!(compared.contains(&back), "{compared}");
    let observed = second["observations"].as_array().unwrap();
    assert!(
        observed.iter().all(|seen| seen["rounds"] == 1),
        "{second:#}"
    );
    let lesson = performance(&project, &lesson_path(LESSON));
    assert_eq!(lesson["note"], format!("rolled back to version 1: {why}"));
    // The version before is not watched for what came after it.
    project.run(&[]).run().exits(1);
    assert_eq!(active(&project), 1);
}

#[test]
fn a_lesson_from_runs_of_a_version_goes_with_it() {
    let project = degraded("[learning]\n");
    for _ in 0..4 {
        project.run(&[]).run().exits(1);
    }
    let files = project.environment.files(".aiwg/.feedback/applier");
    let id_of = |file: &String| {
        Some(
            file.strip_suffix(".json")?
                .split_at(file.len() - 41)
                .1
                .to_owned(),
        )
    };
    let ids: Vec<String> = files.iter().filter_map(id_of).collect();
    let id = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b5";
    let lesson = json!({
        "id": id, "agent": "applier", "lesson_text": "Nothing was changed.",
        "constraint_update": "Change what the review names.", "source_feedback": ids,
    });
    project.write(&lesson_path(id), lesson.to_string());
    project.run(&[]).run().exits(1);
    assert_eq!(active(&project), 1);
    let lesson = performance(&project, &lesson_path(id));
    let note = "its feedback is of a version that was rolled back";
    assert_eq!(lesson["note"], note);
    assert!(lesson["rolled_back_at"].is_string(), "{lesson:#}");
}

#[test]
fn lessons_approved_one_after_the_other_are_rolled_back_together() {
    for config in [
        "[learning]\n",
        "[learning.prompt_evolution.approval_gate]\nrequired = false\n",
    ] {
        let project = degraded(config);
        let second = "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b4";
        approve(&project, second, "Keep the headings.");
        assert_eq!(active(&project), 3);
        let mut told = String::new();
        for _ in 0..5 {
            told = project.run(&[]).run().exits(1).stderr;
        }
        let expected = "version 3 of the prompt of applier failed in 5 of 5 runs, earlier ones in 0 of 6 runs (it is not known whether version 2 does the harm, so both are rolled back): version 1 is in use again";
        assert!(told.contains(expected), "{told}");
        assert_eq!(active(&project), 1);
        for id in [LESSON, second] {
            let lesson = performance(&project, &lesson_path(id));
            assert!(lesson["rolled_back_at"].is_string(), "{lesson:#}");
        }
    }
}

#[test]
fn a_version_stays_where_the_one_before_cannot_be_used() {
    let project = degraded("[learning]\n");
    project.write(".aiwg/.prompts/applier/v1.md", "no version");
    let mut told = String::new();
    for _ in 0..5 {
        told = project.run(&[]).run().exits(1).stderr;
    }
    let expected = "version 2 of the prompt of applier failed in 5 of 5 runs, earlier ones in 0 of 6 runs, and stays in use: ";
    assert!(told.contains(expected), "{told}");
    assert!(!told.contains("nothing was learned"), "{told}");
    assert_eq!(active(&project), 2);
}

#[test]
fn a_version_stays_where_rollbacks_are_switched_off() {
    let project = degraded("[learning.prompt_evolution.rollback]\nenabled = false\n");
    for _ in 0..5 {
        project.run(&[]).run().exits(1);
    }
    assert_eq!(active(&project), 2);
    let told = project
        .environment
        .ralph(["learn", "stats"])
        .exits(0)
        .stdout;
    assert!(told.contains("\n    is_worse: true\n"), "{told}");
}
