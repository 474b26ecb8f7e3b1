//! `ralph learn stats` of two versions.

use serde_json::{Value as Json, json};

use crate::support::TestEnvironment;

/// One run a task, with these qualities; the first ones erred.
fn performance(version: u32, qualities: &[f64], errors: usize) -> Json {
    let observation = |(task, quality): (usize, &f64)| {
        json!({
            "run": format!("r-{version}-{task}"), "task": format!("specs/{task}.md"),
            "error": task < errors, "quality": quality, "completed": true,
        })
    };
    let observations: Vec<Json> = qualities.iter().enumerate().map(observation).collect();
    json!({
        "v": 1, "agent": "applier", "version": version, "activated_at": null, "p0": null,
        "baseline_runs": 0, "watched_from": 0, "observations": observations,
    })
}

/// A project whose applier has two versions.
fn project(before: &Json, after: &Json) -> TestEnvironment {
    let environment = TestEnvironment::new();
    for (version, known) in [(1, before), (2, after)] {
        let path = format!(".aiwg/.prompts/applier/v{version}.performance.json");
        environment.write(path, known.to_string());
    }
    environment
}

const COMPARE: [&str; 5] = ["learn", "stats", "applier", "v1", "v2"];
const JSON: [&str; 7] = ["learn", "stats", "applier", "1", "v2", "--format", "json"];

#[test]
fn a_version_that_is_better_on_ten_tasks_is_better() {
    let before = [60.0, 55.0, 70.0, 65.0, 60.0, 50.0, 75.0, 60.0, 65.0, 70.0];
    let after = before.map(|quality| quality + 20.0);
    let project = project(&performance(1, &before, 1), &performance(2, &after, 0));
    let found = project.ralph(JSON).exits(0).json();
    assert_eq!(found["v"], 1);
    assert_eq!(found["agent"], "applier");
    assert_eq!((&found["before"], &found["after"]), (&json!(1), &json!(2)));
    assert_eq!(found["outcome"], "better");
    assert_eq!(found["reason"], "quality_rose");
    assert_eq!(
        (&found["paired"], &found["weak"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&found["runs"], &found["next_look"]),
        (&json!(10), &Json::Null)
    );
    let looks = json!([{"runs": 10, "p_better": 0.000_976_562_5, "p_worse": 1.0}]);
    assert_eq!(found["looks"], looks);
    let quality = json!({
        "metric": "quality_score", "before": 63.0, "after": 83.0, "shift": 20.0,
        "interval": {"low": 20.0, "high": 20.0}, "smallest_effect": 0.0,
    });
    assert_eq!(found["quality"], quality);
    let errors = json!({
        "metric": "error_rate", "before": {"events": 1, "runs": 10},
        "after": {"events": 0, "runs": 10}, "harm": -10.0, "p": 1.0, "standing": "clear",
    });
    assert_eq!(found["guards"][0], errors);
    assert_eq!(found["guards"][1]["metric"], "task_completion_rate");
    let told = project.ralph(COMPARE).exits(0).stdout;
    let expected = "\
applier v1 -> v2: better, the quality rose
  v1: 10 runs, error rate 10.0 %, quality 63.0, passed 100.0 %
  v2: 10 runs, error rate 0.0 %, quality 83.0, passed 100.0 %
  compared: 10 pairs of runs of the same task
  quality_score: 63.0 -> 83.0, shift +20.0 (95 %: +20.0 to +20.0), p 0.0010 against 0.0167
  error_rate: 10.0 % -> 0.0 %, clear
  task_completion_rate: 100.0 % -> 100.0 %, clear
";
    assert_eq!(told, expected);
}

#[test]
fn a_version_that_is_worse_ends_with_1() {
    let before = [60.0; 10];
    let after = [50.0; 10];
    let project = project(&performance(1, &before, 0), &performance(2, &after, 0));
    let told = project.ralph(COMPARE).exits(1).stdout;
    assert!(
        told.starts_with("applier v1 -> v2: worse, the quality fell\n"),
        "{told}"
    );
}

#[test]
fn a_gain_that_costs_errors_is_worse() {
    let before = [60.0; 10];
    let after = [80.0; 10];
    let project = project(&performance(1, &before, 0), &performance(2, &after, 6));
    let told = project.ralph(COMPARE).exits(1).stdout;
    assert!(
        told.contains("worse, a rate that must not worsen did\n"),
        "{told}"
    );
    assert!(
        told.contains("  error_rate: 0.0 % -> 60.0 %, harm\n"),
        "{told}"
    );
}

#[test]
fn too_few_runs_are_no_evidence_and_the_next_look_is_named() {
    let project = project(
        &performance(1, &[60.0; 4], 0),
        &performance(2, &[90.0; 4], 0),
    );
    let told = project.ralph(COMPARE).exits(0).stdout;
    let expected = "\
applier v1 -> v2: no evidence, there are too few runs
  v1: 4 runs, error rate 0.0 %, quality 60.0, passed 100.0 %
  v2: 4 runs, error rate 0.0 %, quality 90.0, passed 100.0 %
  not compared before both versions have 10 runs; v2 has 4 and is not in use: \
`ralph learn rollback applier --to 2` uses it again
";
    assert_eq!(told, expected);
}

#[test]
fn a_comparison_waits_for_the_version_in_use_alone() {
    let project = project(
        &performance(1, &[60.0; 12], 0),
        &performance(2, &[90.0; 4], 0),
    );
    let active = r#"{"version": 2, "since": "2026-03-01T12:00:00Z", "previous": 1}"#;
    project.write(".aiwg/.prompts/applier/active.json", active);
    let told = project.ralph(COMPARE).exits(0).stdout;
    assert!(
        told.ends_with("  compared next when both versions have 10 runs\n"),
        "{told}"
    );
}

#[test]
fn runs_of_other_tasks_are_weak_evidence() {
    let mut after = performance(2, &[90.0; 12], 3);
    for seen in after["observations"].as_array_mut().unwrap() {
        seen["task"] = json!("specs/other.md");
    }
    let project = project(&performance(1, &[60.0; 12], 3), &after);
    let told = project.ralph(COMPARE).exits(0).stdout;
    assert!(
        told.contains(
            "  compared: 10 runs of each version, not of the same tasks: weak evidence\n"
        ),
        "{told}"
    );
}

#[test]
fn a_version_that_nobody_used_is_a_usage_error() {
    let environment = TestEnvironment::new();
    let told = environment.ralph(COMPARE).exits(2).stderr;
    assert!(told.contains("no run used version 2 of applier"), "{told}");
    let told = environment.ralph(["learn", "stats", "applier", "v1", "two"]);
    assert!(
        told.exits(2)
            .stderr
            .contains("must be the number of a version, such as 2 or v2")
    );
    let own = environment.ralph(["learn", "stats", "applier", "v1", "v1"]);
    assert!(own.exits(0).stdout.contains("there are too few runs"));
}

#[test]
fn a_damaged_file_is_named() {
    let environment = TestEnvironment::new();
    let path = ".aiwg/.prompts/applier/v2.performance.json";
    environment.write(path, "{}");
    let told = environment.ralph(COMPARE).exits(2).stderr;
    assert!(told.contains(path), "{told}");
}
