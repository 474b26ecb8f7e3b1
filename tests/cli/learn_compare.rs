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
        "v": 1, "agent": "applier", "version": version, "activated_at": null, "watched_from": 0, "observations": observations,
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
    assert_eq!(
        (&found["quality"], &found["errors"]),
        (&json!("better"), &json!("not_shown"))
    );
    let pairs = (&found["pairs"], &found["rose"], &found["fell"]);
    assert_eq!(pairs, (&json!(10), &json!(10), &json!(0)));
    let difference = json!({
        "quality_score": 20.0, "error_rate": -0.1, "task_completion_rate": 0.0,
    });
    assert_eq!(found["difference"], difference);
    assert_eq!(found["averages_after"]["quality"], 83.0);
    let told = project.ralph(COMPARE).exits(0).stdout;
    let expected = "\
after: 2
agent: applier
averages_after:
  completion_rate: 1.00
  error_rate: 0.00
  quality: 83.00
  runs: 10
averages_before:
  completion_rate: 1.00
  error_rate: 0.10
  quality: 63.00
  runs: 10
before: 1
difference:
  error_rate: -0.10
  quality_score: 20.00
  task_completion_rate: 0.00
errors: not_shown
fell: 0
outcome: better
pairs: 10
quality: better
rose: 10
";
    assert_eq!(told, expected);
}

#[test]
fn a_version_that_is_worse_ends_with_1() {
    let before = [60.0; 10];
    let after = [50.0; 10];
    let project = project(&performance(1, &before, 0), &performance(2, &after, 0));
    let told = project.ralph(COMPARE).exits(1).stdout;
    let end = "outcome: worse\npairs: 10\nquality: worse\nrose: 0\n";
    assert!(told.ends_with(end), "{told}");
}
