use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use review::events::{Event, LiveEvents};
use review_tasks::{Shell, TaskContext};

use crate::support::{Project, task_path};

#[tokio::test]
async fn a_passing_command_completes_its_task_and_is_counted() {
    let project =
        Project::new(&["backpressure: echo '2 passed in 0.01s'; echo '1 passing (3ms)' >&2"]);
    let run = project.run().await;
    assert!(run.done.blocked.is_none());
    let finished = run.only();
    assert_eq!(finished.state.as_str(), "passed");
    assert_eq!(finished.tests_run, Some(3));
    assert!(!finished.cached && !finished.changed_tree);
    assert_eq!((finished.reason.as_str(), finished.tail.as_str()), ("", ""));
    assert!(project.read(&task_path(1)).contains("\nstatus: complete\n"));
}

#[tokio::test]
async fn what_commands_print_is_reported_while_they_run() {
    let commands = [
        "echo 'test a ... ok'; echo 'test b ... FAILED'",
        "echo 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'; echo bye",
    ];
    let project = Project::new(&[&format!("backpressure: {commands:?}")]);
    let reported = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&reported);
    let live = LiveEvents::new(move |event| list.lock().unwrap().push(event));
    let context = TaskContext {
        live,
        ..project.context()
    };
    project.run_in(context).await.expect("driven to its end");
    let reported = reported.lock().unwrap();
    assert!(reported.iter().all(|event| event.task.is_some()));
    let mut commands = 0;
    let mut last = None;
    for event in &*reported {
        match &event.event {
            Event::StepCommand(command) => {
                commands += 1;
                assert_eq!(command.step, "task/1/gate.1.1");
                assert!(command.command.starts_with("echo 'test "));
                assert!((1..=600_000).contains(&command.time_limit_ms));
            }
            Event::StepOutput(output) => last = Some((commands, output.clone())),
            other => panic!("{other:?} is not reported by a command"),
        }
        if let (1, Some((_, output))) = (commands, &last) {
            assert!(output.tests_run <= Some(2), "{output:?}");
        }
    }
    let (commands, output) = last.expect("output");
    assert_eq!((commands, output.line.as_str()), (2, "bye"));
    assert_eq!(output.tests_run, Some(3));
}

#[tokio::test]
async fn a_command_without_a_summary_passes_uncounted() {
    let run = Project::new(&["backpressure: test -f tasks/web/01.md"])
        .run()
        .await;
    assert_eq!(run.only().state.as_str(), "passed");
    assert_eq!(run.only().log, None, "it said nothing");
    assert_eq!(run.only().tests_run, None);
}

#[tokio::test]
async fn a_failing_command_is_reported_with_the_end_of_its_output_and_its_log() {
    let project = Project::new(&[
        "backpressure: echo begin; echo oops >&2; exit 3",
        "backpressure: 'true'\ndepends_on: [1]",
    ]);
    let run = project.run().await;
    assert_eq!(run.states(), [("failed", false), ("skipped", false)]);
    assert_eq!(run.only().reason, "exit status 3");
    let mut lines: Vec<_> = run.only().tail.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["begin", "oops"]);
    assert_eq!(project.log(&run).len(), "begin\noops\n".len());
    assert!(project.read(&task_path(1)).contains("\nstatus: pending\n"));
}

#[tokio::test]
async fn a_command_that_runs_no_test_has_its_own_failure() {
    let zero = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out";
    let run = Project::new(&[&format!("backpressure: \"echo '{zero}'\"")])
        .run()
        .await;
    assert_eq!(run.states(), [("no_tests", false)]);
    assert_eq!(run.only().tests_run, Some(0));
    assert_eq!(run.only().reason, "passed without running a test");
    assert_eq!(run.only().tail, format!("{zero}\n"));
}

#[tokio::test]
async fn steps_run_in_order_up_to_the_first_that_does_not_pass() {
    let steps = [
        "echo 2 passed in 1s",
        "echo 3 passed in 1s; exit 1",
        "echo 4 passed in 1s",
    ];
    let project = Project::new(&[&format!("backpressure: {steps:?}")]);
    let run = project.run().await;
    assert_eq!(run.states(), [("failed", false)]);
    assert_eq!(run.only().reason, "step 2 of 3: exit status 1");
    assert_eq!(run.only().tests_run, Some(5));
    assert_eq!(project.log(&run), "2 passed in 1s\n3 passed in 1s\n");
}

#[tokio::test]
async fn every_step_that_counts_must_run_a_test() {
    let steps = [
        "echo 2 passed in 1s",
        "echo built",
        "echo no tests ran in 1s",
    ];
    let run = Project::new(&[&format!("backpressure: {steps:?}")])
        .run()
        .await;
    assert_eq!(run.states(), [("no_tests", false)]);
    assert_eq!(
        run.only().reason,
        "step 3 of 3: passed without running a test"
    );
    let run = Project::new(&[&format!("backpressure: {:?}", &steps[..2])])
        .run()
        .await;
    assert_eq!(run.states(), [("passed", false)]);
    assert_eq!(run.only().tests_run, Some(2));
}

#[tokio::test]
async fn a_command_runs_in_the_root_and_is_not_told_that_it_judges() {
    let command = "backpressure: pwd -P; env | grep ^RALPH_; test -n \"$PATH\"; cat; exit 1";
    let project = Project::new(&[command]);
    let run = project.run().await;
    let root = project.root().canonicalize().expect("there");
    assert_eq!(run.only().tail, format!("{}\n", root.display()));
}

#[tokio::test]
async fn a_pipeline_fails_with_any_of_its_commands_under_bash() {
    let project = Project::new(&["backpressure: 'false | true'"]);
    assert!(
        matches!(project.context().shell, Shell::Bash(_)),
        "bash is on PATH"
    );
    assert_eq!(project.run().await.states(), [("failed", false)]);
    let mut context = project.context();
    context.shell = Shell::Sh;
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.states(), [("passed", false)]);
}

#[tokio::test]
async fn a_command_that_a_signal_ends_fails() {
    let run = Project::new(&["backpressure: kill -9 $$"]).run().await;
    assert_eq!(run.states(), [("failed", false)]);
    assert_eq!(run.only().reason, "ended by signal 9");
}

#[tokio::test]
async fn a_command_that_cannot_be_started_fails() {
    let project = Project::new(&["backpressure: 'true'"]);
    let mut context = project.context();
    context.shell = Shell::Bash(PathBuf::from("/nonexistent/bash"));
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.states(), [("failed", false)]);
    let expected = "could not be started: program \"/nonexistent/bash\" was not found";
    assert!(
        run.only().reason.starts_with(expected),
        "{}",
        run.only().reason
    );
}

#[tokio::test]
async fn secrets_are_in_neither_log_nor_report() {
    let project = Project::new(&["backpressure: echo hush-hush-hush; exit 1"]);
    let mut context = project.context();
    context.redactor = review_process::Redactor::new(["hush-hush-hush"]);
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.only().tail, "[redacted]\n");
    assert_eq!(project.log(&run), "[redacted]\n");
}
