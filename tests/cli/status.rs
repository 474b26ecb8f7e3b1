//! `ralph status --format mermaid`.

use crate::support::TestEnvironment;

/// A unit `cache` of three tasks: 2 and 3 wait for 1, 3 also for 2.
fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/CACHE.md", "# Cache\n\nText.\n");
    for (number, title, status, after) in [
        (1, "Store", "complete", "[]"),
        (2, "Limits", "pending", "[1]"),
        (3, "Eviction", "failed", "[2, 1]"),
    ] {
        environment.write(
            format!("tasks/cache/0{number}-task.md"),
            format!(
                "---\ntask: {number}\nstatus: {status}\nbackpressure: \"false\"\n\
                 depends_on: {after}\n---\n# {title}\n"
            ),
        );
    }
    environment
}

#[test]
fn a_flowchart_shows_which_task_waits_for_which() {
    let chart = project().ralph(["status", "--format", "mermaid"]).exits(0);
    assert_eq!(
        chart.stdout,
        "flowchart TD\n\
         \x20 t1[\"1. Store\"]:::complete\n\
         \x20 t2[\"2. Limits\"]:::pending\n\
         \x20 t3[\"3. Eviction\"]:::failed\n\
         \x20 t1 --> t2\n\
         \x20 t2 --> t3\n\
         \x20 t1 --> t3\n\
         \x20 classDef complete fill:#d5f5d5\n\
         \x20 classDef failed fill:#f5d5d5\n"
    );
}

#[test]
fn a_flowchart_of_tasks_that_cannot_run_has_a_warning() {
    let environment = project();
    environment.write(
        "tasks/cache/01-task.md",
        "---\ntask: 1\nbackpressure: \"false\"\ndepends_on: [3]\n---\n# Store\n",
    );
    let chart = environment
        .ralph(["status", "--format", "mermaid"])
        .exits(0);
    assert!(chart.stdout.contains("  t3 --> t1\n"), "{}", chart.stdout);
    assert!(
        chart
            .stderr
            .contains("warning: tasks/cache/01-task.md:4: tasks depend on one another: 1 -> 3"),
        "{}",
        chart.stderr
    );
}

#[test]
fn a_flowchart_is_of_one_spec_that_has_tasks() {
    let environment = project();
    environment.write("specs/OTHER.md", "# Other\n\nText.\n");
    let chart = ["status", "--format", "mermaid"];
    let unnamed = environment.ralph(chart).exits(2);
    assert_eq!(
        unnamed.stderr,
        "error: there are 2 specs; say which one\n\
         \x20 hint: there is specs/CACHE.md\n\
         \x20 hint: there is specs/OTHER.md\n"
    );
    let empty = environment
        .ralph([&chart[..], &["other"]].concat())
        .exits(4);
    assert_eq!(empty.stderr, "error: specs/OTHER.md has no tasks\n");
}
