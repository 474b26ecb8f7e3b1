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
    let project = project();
    project.applier("cat >/dev/null");
    let seen = |run: usize, error: bool| {
        json!({
            "run": format!("r-{run}"), "task": "a", "error": error, "quality": null,
            "completed": true,
        })
    };
    let without_error = [0, 1, 2, 3, 4, 5].map(|run| seen(run, false));
    let before = json!({
        "v": 1, "agent": "applier", "version": 1, "activated_at": null, "watched_from": 0,
        "observations": without_error,
    });
    project.write(APPLIER, before.to_string());
    approve(&project, LESSON, "Change nothing.");
    let path = ".aiwg/.prompts/applier/v2.performance.json";
    let mut second = performance(&project, path);
    second["observations"] = [6, 7, 8, 9].map(|run| seen(run, true)).to_vec().into();
    project.write(path, second.to_string());
    let failed = |runs: u32| {
        format!(
            "version 2 of the prompt of applier failed in {runs} of {runs} runs, earlier ones in 0 \
             of 6 runs"
        )
    };
    let first = ".aiwg/.prompts/applier/v1.md";
    let whole = project.environment.read(first);
    project.write(first, "no version");
    let told = project.run(&[]).run().exits(1).stderr;
    let stays = format!("{}, and stays in use: ", failed(5));
    assert!(told.contains(&stays), "{told}");
    assert!(!told.contains("nothing was learned"), "{told}");
    assert_eq!(active(&project), 2);
    project.write(first, whole);
    let told = project.run(&[]).run().exits(1).stderr;
    let why = failed(6);
    let expected = format!("{why}: version 1 is in use again");
    assert!(told.contains(&expected), "{told}");
    assert_eq!(active(&project), 1);
    let history = project.environment.ralph(["learn", "show", "applier"]);
    let history = history.exits(0).stdout;
    let last = format!("    cause: degradation\n    from: 2\n    reason: {why}\n    to: 1\n");
    assert!(history.contains(&last), "{history}");
    let compare = ["learn", "stats", "applier", "v1", "v2"];
    let compared = project.environment.ralph(compare).exits(1).stdout;
    let back = format!("  cause: degradation\n  from: 2\n  reason: {why}\n  to: 1\n");
    assert!(compared.contains(&back), "{compared}");
    let observed = performance(&project, path)["observations"].take();
    assert_eq!(observed[5]["rounds"], 1, "{observed:#}");
    let lesson = performance(&project, &lesson_path(LESSON));
    assert_eq!(lesson["note"], format!("rolled back to version 1: {why}"));
}
