//! `ralph learn stats`.

use serde_json::{Value as Json, json};

use crate::support::TestEnvironment;

/// A version with this many runs, of which the first ones erred.
fn performance(version: u32, errors: usize, runs: usize) -> Json {
    let observation = |run: usize| {
        json!({
            "run": format!("r-{version}-{run}"), "task": "specs/A.md",
            "error": run < errors, "quality": 80.0, "completed": run >= errors,
        })
    };
    let observations: Vec<Json> = (0..runs).map(observation).collect();
    json!({
        "v": 1, "agent": "applier", "version": version, "activated_at": null, "p0": null,
        "baseline_runs": 0, "watched_from": 0, "observations": observations,
    })
}

fn activated(mut performance: Json, p0: Option<f64>, baseline_runs: u32) -> Json {
    performance["activated_at"] = json!("2026-03-01T12:00:00Z");
    performance["p0"] = json!(p0);
    performance["baseline_runs"] = json!(baseline_runs);
    performance
}

fn write(environment: &TestEnvironment, performance: &Json) {
    let version = &performance["version"];
    let path = format!(".aiwg/.prompts/applier/v{version}.performance.json");
    environment.write(path, performance.to_string());
}

fn lesson(environment: &TestEnvironment, number: u32, status: &str) {
    let id = format!("0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b{number}");
    let lesson = json!({
        "id": id, "agent": "applier", "lesson_text": "Give limits.", "source_feedback": [],
        "status": status, "approved_by": "ann", "applied_at": "2026-03-01T12:00:00Z",
    });
    environment.write(
        format!(".aiwg/.lessons/applier/{id}.json"),
        lesson.to_string(),
    );
}

#[test]
fn the_five_metrics_are_told_with_each_version() {
    let environment = TestEnvironment::new();
    write(&environment, &performance(1, 2, 20));
    write(
        &environment,
        &activated(performance(2, 0, 5), Some(0.125), 20),
    );
    let active = json!({"v": 1, "version": 2, "since": "2026-03-01T12:00:00Z", "previous": 1});
    environment.write(".aiwg/.prompts/applier/active.json", active.to_string());
    environment.write(".aiwg/.prompts/applier/v2.md", "text");
    lesson(&environment, 1, "applied");
    lesson(&environment, 2, "approved");
    let step = |name: &str| format!("{{\"v\":1,\"type\":\"learning.{name}\"}}\n");
    let journal = [
        "prompt_update.store_version",
        "prompt_update.store_version",
        "rollback.log_rollback",
        "rollback.notify_operators",
    ];
    let journal: String = journal.map(step).concat();
    environment.write(".ralph-review/learning.jsonl", journal);
    let stats = environment
        .ralph(["learn", "stats", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(stats["v"], 1);
    assert_eq!(stats["error_rate_by_agent"], json!({"applier": 0.08}));
    assert_eq!(stats["average_quality_by_agent"], json!({"applier": 80.0}));
    assert_eq!(stats["lessons_applied_count"], 1);
    assert_eq!(stats["prompt_versions_count"], 2);
    assert_eq!(stats["rollback_frequency"], 0.5);
    assert_eq!(stats["agents"][0]["active"], 2);
    let second = &stats["agents"][0]["versions"][1];
    assert_eq!(second["automatic_rollback"], "watching");
    assert_eq!(second["is_baseline"], false);
    assert_eq!(
        (&second["p0"], &second["threshold"]),
        (&json!(0.125), &json!(20.0))
    );
    let told = environment.ralph(["learn", "stats"]).exits(0).stdout;
    let expected = "\
error rate: applier 8.0 %
average quality: applier 80.0
lessons in prompts: 1
versions of prompts: 2
rollbacks per update: 0.50

applier, v2 is active
  v1: 20 runs, error rate 10.0 %, quality 80.0, passed 90.0 %; no earlier version
  v2: 5 runs, error rate 0.0 %, quality 80.0, passed 100.0 %; watched; rolled back if the evidence of harm (0.2) reaches 20
    a next version is watched once this one has 20 runs: 5 so far
";
    assert_eq!(told, expected);
}

#[test]
fn without_runs_there_is_nothing_to_tell() {
    let environment = TestEnvironment::new();
    let told = environment.ralph(["learn", "stats"]).exits(0).stdout;
    let expected = "\
error rate: no runs
average quality: no runs
lessons in prompts: 0
versions of prompts: 0
rollbacks per update: 0.00
";
    assert_eq!(told, expected);
    assert!(!environment.root().join(".ralph-review").exists());
}

#[test]
fn the_watch_over_a_version_is_told() {
    for (version, expected) in [
        (
            activated(performance(2, 0, 5), None, 12),
            "not watched: the version before it had 12 of the 20 runs needed\n",
        ),
        (
            activated(performance(2, 6, 6), Some(0.1), 20),
            "fails more often than the version before it\n",
        ),
        (
            activated(performance(2, 0, 100), Some(0.1), 20),
            "watched for 100 runs without harm\n",
        ),
    ] {
        let environment = TestEnvironment::new();
        write(&environment, &version);
        let told = environment.ralph(["learn", "stats"]).exits(0).stdout;
        assert!(told.contains(expected), "{told}");
    }
}
