//! Runs of some tasks of a unit.

use serde_json::json;

use crate::scripted::Scripted;

/// Three tasks, each after the previous one; each logs that it ran.
fn three() -> Scripted {
    let log = |number: u32| format!("echo task {number} >> \"$HOME/calls\"");
    let commands = [1, 2, 3].map(log);
    Scripted::new(&commands.each_ref().map(String::as_str))
}

#[test]
fn selected_tasks_run_alone_once_what_they_depend_on_is_complete() {
    let project = three();
    let refused = project.run(&["--task", "2"]).run().exits(2);
    assert_eq!(
        refused.stderr,
        "error: task 2 depends on task 1 (pending): not selected and not complete\n  \
         hint: run what comes first, too: --task 1\n"
    );
    assert_eq!(project.calls(), Vec::<String>::new());
    project.run(&["--task", "1"]).run().exits(0);
    let ran = project.run(&["--task", "2"]).run().exits(0);
    assert_eq!(project.calls(), ["task 1", "task 2"]);
    let facts = "1 of 1 task passed · tasks 1, 3 not selected · run ";
    assert!(ran.stdout.contains(facts), "{}", ran.stdout);
}

#[test]
fn a_task_and_all_after_it_run_in_order_with_any_number_of_jobs() {
    let project = three();
    let arguments = ["--task", "1", "--from", "2", "--jobs", "3"];
    let ran = project.run(&[&arguments[..], &["--format", "json"]].concat());
    let report = ran.run().exits(0).json();
    assert_eq!(project.calls(), ["task 1", "task 2", "task 3"]);
    assert_eq!(report.get("not_selected"), None);
    project.forget_calls();
    project.write("code", "changed");
    let from = ["--from", "2", "--format", "json"];
    let report = project.run(&from).run().exits(0).json();
    assert_eq!(project.calls(), ["task 2", "task 3"]);
    assert_eq!(report["not_selected"], json!([1]));
}

#[test]
fn a_resume_keeps_the_selection() {
    let project = three();
    let fails = "echo task 1 >> \"$HOME/calls\"; test -e code";
    project.task(1, "[]", fails);
    project.run(&["--task", "1", "--task", "2"]).run().exits(1);
    project.write("code", "");
    let report = project.resume(&["--format", "json"]).run().exits(0).json();
    assert_eq!(project.calls(), ["task 1", "task 1", "task 2"]);
    assert_eq!(report["not_selected"], json!([3]));
    let shown = ["report", "latest", "--format", "json"];
    let shown = project.environment.ralph(shown).exits(0).json();
    assert_eq!(shown["not_selected"], json!([3]));
}

#[test]
fn what_cannot_be_selected_is_a_usage_error() {
    let project = three();
    project.write("specs/OTHER.md", "# Other\n");
    for (arguments, expected) in [
        (
            &["DEMO", "--task", "4"][..],
            "error: unit demo has no task 4; its tasks are 1, 2, 3\n",
        ),
        (
            &["OTHER", "--task", "1"],
            "error: no unit belongs to specs/OTHER.md, so it has no tasks to select\n",
        ),
        (
            &["--task", "demo/1"],
            "error: invalid value 'demo/1' for '--task <N>': must be the number of a task\n",
        ),
        (
            &["DEMO", "--task", "1", "--no-tasks"],
            "error: the argument '--task <N>' cannot be used with '--no-tasks'\n",
        ),
    ] {
        let ran = project.run(arguments).run().exits(2);
        assert!(
            ran.stderr.contains(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    assert!(!project.environment.root().join(".ralph-review").exists());
}
