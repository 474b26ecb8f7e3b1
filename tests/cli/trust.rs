//! What a run, a resume and the gate may not be talked into.

use serde_json::json;

use crate::scripted::{PASS, REVISE, Scripted};

/// A project whose reviewer is content.
fn content(commands: &[&str]) -> Scripted {
    let project = Scripted::new(commands);
    project.reviewer(&format!("echo '{PASS}'"));
    project
}

fn gate_offline(project: &Scripted) -> (i32, serde_json::Value) {
    let ran = project
        .environment
        .ralph(["gate", "DEMO", "--offline", "--format", "json"]);
    let report = ran.json();
    (ran.code, report["specs"][0]["review"]["status"].clone())
}

#[test]
fn a_task_that_changes_the_reviewed_spec_ends_the_run() {
    let project = content(&["echo hello; echo more >> specs/DEMO.md", "true"]);
    let report = project.run(&["--format", "json"]).run().exits(2).json();
    assert_eq!(report["outcome"], "error");
    assert_eq!(report["block_code"], "artifact_changed");
    assert_eq!(
        report["block_reason"],
        "the artifact changed while the command of task 1 ran: specs/DEMO.md"
    );
    let states = |at: usize| report["tasks"][at]["status"].as_str();
    assert_eq!(
        [states(0), states(1), states(2)],
        [Some("failed"), Some("not_run"), None]
    );
    let log = report["tasks"][0]["log"].as_str().unwrap();
    assert_eq!(project.environment.read(log), "hello\n");
    assert!(
        project
            .environment
            .read("tasks/demo/01-step.md")
            .contains("status: pending")
    );
    assert_eq!(gate_offline(&project), (3, json!("unproven")));
}

#[test]
fn a_resume_runs_an_earlier_task_again_when_its_tree_has_changed() {
    let project = content(&["grep -q good made", "test -e later"]);
    project.write("made", "good");
    project.run(&[]).run().exits(1);
    project.write("made", "bad");
    project.write("later", "");
    let resume = ["resume", "latest", "--format", "json"];
    let report = project.environment.ralph(resume).exits(1).json();
    let states: Vec<_> = report["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["status"].clone())
        .collect();
    assert_eq!(states, ["failed", "skipped"]);
}

#[test]
fn a_resume_of_the_tasks_alone_takes_up_a_command_that_was_mended() {
    let project = content(&["false"]);
    project.run(&["--tasks-only"]).run().exits(1);
    let resume = || project.environment.ralph(["resume", "latest"]);
    let changed = "the artifact has changed";
    assert!(!resume().exits(1).stdout.contains(changed));
    project.task(1, "[]", "true");
    assert!(resume().exits(0).stdout.contains(changed));
}

#[test]
fn a_run_that_may_not_apply_never_does_so_by_a_resume() {
    let project = Scripted::new(&[]);
    project.reviewer(&format!("echo '{REVISE}'"));
    project.applier("echo applied >> specs/DEMO.md");
    let before = project.artifact();
    let ran = project.run(&["--no-apply"]).run().exits(1);
    let next = ran.stdout.lines().last().unwrap();
    assert!(
        next.starts_with("ralph run ") && !next.contains("--no-apply"),
        "{next}"
    );
    let resume = ["resume", "latest", "--max-iterations", "4"];
    project.environment.ralph(resume).exits(1);
    assert_eq!(project.artifact(), before);
}

#[test]
fn a_review_of_the_spec_alone_leaves_the_record_of_the_unit() {
    let project = content(&["true"]);
    project.run(&[]).run().exits(0);
    assert_eq!(gate_offline(&project), (0, json!("recorded")));
    let review = ["review", "specs/DEMO.md", "--reviewer", "cmd:judge"];
    project.environment.ralph(review).exits(0);
    assert_eq!(gate_offline(&project), (0, json!("recorded")));
}

#[test]
fn tasks_that_fail_beside_the_review_are_named_with_it() {
    let project = Scripted::new(&["false"]);
    project.reviewer(&format!("echo '{REVISE}'"));
    let arguments = ["--max-iterations", "1", "--keep-going", "--format", "json"];
    let report = project.run(&arguments).run().exits(1).json();
    assert_eq!(report["block_code"], "max_iterations");
    assert_eq!(
        report["block_reason"],
        "max iterations (1) exhausted without passing review; 1 of 1 task did not pass: task 1 failed"
    );
}

/// A number of tasks at which not all of their files are looked at after each command.
const BATCH: usize = 60;

/// A project with many tasks, the commands of which do nothing but for one.
fn batch(number: usize, command: &str) -> Scripted {
    let commands = (1..=BATCH).map(|at| if at == number { command } else { "true" });
    content(&commands.collect::<Vec<_>>())
}

/// The numbers of the tasks with a property.
fn tasks_with(report: &serde_json::Value, is: impl Fn(&serde_json::Value) -> bool) -> Vec<usize> {
    let tasks = report["tasks"].as_array().unwrap().iter().zip(1..);
    tasks
        .filter(|(task, _)| is(task))
        .map(|(_, number)| number)
        .collect()
}

#[test]
fn a_task_of_many_that_changes_the_file_of_a_later_one_ends_the_run() {
    let project = batch(40, "echo more >> tasks/demo/50-step.md");
    let report = project.run(&["--format", "json", "--tasks-only"]);
    let report = report.run().exits(2).json();
    assert_eq!(report["block_code"], "artifact_changed");
    assert_eq!(
        report["block_reason"],
        "the artifact changed while the command of task 40 ran: tasks/demo/50-step.md"
    );
    let status = |status: &str| tasks_with(&report, |task| task["status"] == status);
    assert_eq!(status("passed"), (1..40).collect::<Vec<_>>());
    assert_eq!(status("failed"), [40]);
    assert_eq!(status("not_run"), (41..=BATCH).collect::<Vec<_>>());
}

#[test]
fn a_task_of_many_that_changes_the_tree_is_the_only_one_that_is_not_proved() {
    let project = batch(40, "[ -e made ] || echo made > made");
    let run = ["--format", "json", "--tasks-only"];
    let report = project.run(&run).run().exits(0).json();
    let changed = tasks_with(&report, |task| task["changed_tree"] == true);
    assert_eq!(changed, [40]);
    let again = project.run(&run).run().exits(0).json();
    let cached = tasks_with(&again, |task| task["cached"] == true);
    assert_eq!(cached, (41..=BATCH).collect::<Vec<_>>());
}
