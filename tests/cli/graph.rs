//! `ralph graph`.

use serde_json::json;

use crate::support::TestEnvironment;

/// A unit `cache` of three tasks: 2 and 3 wait for 1, 3 also for 2.
fn project() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("specs/CACHE.md", "# Cache\n\nText.\n");
    for (number, title, status, after) in [
        (1, "Store \"fast\"", "complete", "[]"),
        (2, "Limits #2", "pending", "[1]"),
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
fn tasks_are_listed_in_the_order_in_which_they_run() {
    let ran = project().ralph(["graph"]).exits(0);
    assert_eq!(
        ran.stdout,
        "cache: 3 tasks, spec specs/CACHE.md\n\
         \x20  1 Store \"fast\" complete\n\
         \x20  2 Limits #2 pending after 1\n\
         \x20  3 Eviction failed after 2, 1\n"
    );
}

#[test]
fn the_machine_form_names_tasks_edges_and_order() {
    let shown = project()
        .ralph(["graph", "cache", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(shown["v"], 1);
    assert_eq!(shown["unit"], "cache");
    assert_eq!(shown["order"], json!([1, 2, 3]));
    assert_eq!(shown["faults"], json!([]));
    assert_eq!(
        shown["tasks"][2],
        json!({
            "id": "cache/3",
            "number": 3,
            "title": "Eviction",
            "status": "failed",
            "path": "tasks/cache/03-task.md",
            "depends_on": [2, 1],
        })
    );
}

#[test]
fn mermaid_and_graphviz_escape_titles() {
    let environment = project();
    let mermaid = environment
        .ralph(["graph", "--format", "mermaid"])
        .exits(0)
        .stdout;
    assert_eq!(
        mermaid,
        "flowchart TD\n\
         \x20 t1[\"1. Store #quot;fast#quot;\"]:::complete\n\
         \x20 t2[\"2. Limits #35;2\"]:::pending\n\
         \x20 t3[\"3. Eviction\"]:::failed\n\
         \x20 t1 --> t2\n\
         \x20 t2 --> t3\n\
         \x20 t1 --> t3\n\
         \x20 classDef complete fill:#d5f5d5\n\
         \x20 classDef failed fill:#f5d5d5\n"
    );
    let dot = environment
        .ralph(["graph", "--format", "dot"])
        .exits(0)
        .stdout;
    assert_eq!(
        dot,
        "digraph \"cache\" {\n\
         \x20 rankdir=LR;\n\
         \x20 node [shape=box];\n\
         \x20 t1 [label=\"1. Store \\\"fast\\\"\", style=filled, fillcolor=\"#d5f5d5\"];\n\
         \x20 t2 [label=\"2. Limits #2\"];\n\
         \x20 t3 [label=\"3. Eviction\", style=filled, fillcolor=\"#f5d5d5\"];\n\
         \x20 t1 -> t2;\n\
         \x20 t2 -> t3;\n\
         \x20 t1 -> t3;\n\
         }\n"
    );
}

#[test]
fn a_unit_that_cannot_run_is_shown_with_what_is_wrong() {
    let environment = project();
    environment.write(
        "tasks/cache/01-task.md",
        "---\ntask: 1\nbackpressure: \"false\"\ndepends_on: [3]\n---\n# Store\n",
    );
    let ran = environment.ralph(["graph"]).exits(1);
    assert!(
        ran.stdout
            .ends_with("The tasks cannot run until the faults are fixed.\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr
            .contains("warning: tasks/cache/01-task.md:4: tasks depend on one another: 1 -> 3"),
        "{}",
        ran.stderr
    );
    let shown = environment
        .ralph(["graph", "--format", "json", "-q"])
        .exits(1);
    assert_eq!(shown.stderr, "");
    assert_eq!(shown.json()["order"], json!([]));
    assert_eq!(shown.json()["faults"][0]["severity"], "error");
}

#[test]
fn a_spec_that_is_unknown_ambiguous_or_without_tasks_is_told() {
    let environment = project();
    let unknown = environment.ralph(["graph", "cahce"]).exits(2);
    assert!(
        unknown.stderr.contains("hint: there is specs/CACHE.md\n"),
        "{}",
        unknown.stderr
    );
    environment.write("specs/OTHER.md", "# Other\n\nText.\n");
    let unnamed = environment.ralph(["graph"]).exits(2);
    assert_eq!(
        unnamed.stderr,
        "error: there are 2 specs; say which one\n\
         \x20 hint: there is specs/CACHE.md\n\
         \x20 hint: there is specs/OTHER.md\n"
    );
    let empty = environment.ralph(["graph", "other"]).exits(4);
    assert!(
        empty
            .stderr
            .starts_with("error: specs/OTHER.md has no tasks"),
        "{}",
        empty.stderr
    );
}
