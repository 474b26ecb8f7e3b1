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
        "v": 1, "agent": "applier", "version": version, "activated_at": null, "watched_from": 0, "observations": observations,
    })
}

fn write(environment: &TestEnvironment, performance: &Json) {
    let version = &performance["version"];
    let path = format!(".aiwg/.prompts/applier/v{version}.performance.json");
    environment.write(path, performance.to_string());
}

/// Version 2 is in use, made from version 1.
fn activate(environment: &TestEnvironment) {
    let since = "2026-03-01T12:00:00Z";
    let active = json!({
        "v": 1, "version": 2, "since": since, "previous": 1,
        "changes": [{"at": since, "from": 1, "to": 2, "cause": "update", "by": "ann"}],
    });
    environment.write(".aiwg/.prompts/applier/active.json", active.to_string());
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
    write(&environment, &performance(2, 0, 5));
    activate(&environment);
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
    assert_eq!(second["compared"]["outcome"], "not_shown");
    assert_eq!(
        second["compared"]["difference"]["task_completion_rate"],
        json!(1.0 - 0.9)
    );
    let watch = json!({
        "versions": [2], "watched": {"events": 0, "runs": 5},
        "earlier": {"events": 2, "runs": 20}, "is_worse": false, "back_to": 1,
    });
    assert_eq!(stats["agents"][0]["watch"], watch);
    let told = environment.ralph(["learn", "stats"]).exits(0).stdout;
    let expected = "\
average_quality_by_agent:
  applier: 80.00
error_rate_by_agent:
  applier: 0.08
lessons_applied_count: 1
prompt_versions_count: 2
rollback_frequency: 0.50

applier
  v1  20 runs  errors 10.0 %  quality 80.0  passed 90.0 %
  v2  5 runs   errors 0.0 %   quality 80.0  passed 100.0 %  not shown
  active: 2
  watch:
    back_to: 1
    earlier:
      events: 2
      runs: 20
    is_worse: false
    versions: 2
    watched:
      events: 0
      runs: 5
";
    assert_eq!(told, expected);
}
