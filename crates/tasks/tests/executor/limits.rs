use std::time::Duration;

use review_flow::DriveError;
use review_process::Stop;
use review_tasks::Shell;
use review_types::BlockCode;
use tokio::time::Instant;

use crate::support::Project;

#[tokio::test]
async fn a_command_over_its_time_limit_is_ended() {
    let project = Project::new(&["backpressure: echo begun; sleep 600\ntimeout: 200ms"]);
    let run = project.run().await;
    assert_eq!(run.states(), [("timed_out", false)]);
    assert_eq!(run.only().reason, "ran longer than 200ms");
    assert_eq!(run.only().tail, "begun\n");
}

#[tokio::test]
async fn the_time_limit_of_a_task_covers_all_its_steps() {
    let project = Project::new(&["backpressure: [sleep 0.2, sleep 600]"]);
    let mut context = project.context();
    context.timeout = Duration::from_millis(400);
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.only().reason, "step 2 of 2: ran longer than 400ms");
    assert!(run.only().took_ms >= 400, "both steps count");
}

#[tokio::test]
async fn no_step_starts_after_the_tasks_time_limit() {
    let project = Project::new(&["backpressure: 'true'"]);
    let mut context = project.context();
    context.timeout = Duration::ZERO;
    context.shell = unusable();
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.states(), [("timed_out", false)]);
}

#[tokio::test]
async fn a_recorded_task_needs_no_time() {
    let project = Project::new(&["backpressure: 'true'"]);
    project.run().await;
    let mut context = project.context();
    context.deadline = Some(Instant::now());
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(run.states(), [("passed", true)]);
}

#[tokio::test]
async fn the_time_limit_of_the_run_ends_a_command() {
    let project = Project::new(&["backpressure: sleep 600", "backpressure: 'true'"]);
    let mut context = project.context();
    context.deadline = Some(Instant::now() + Duration::from_millis(200));
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(
        run.done.blocked.as_ref().map(|blocked| blocked.code),
        Some(BlockCode::RunTime)
    );
    assert_eq!(run.states(), [("not_run", false), ("not_run", false)]);
}

#[tokio::test]
async fn no_command_starts_after_the_runs_time_limit() {
    let project = Project::new(&["backpressure: 'true'"]);
    let mut context = project.context();
    context.deadline = Some(Instant::now());
    context.shell = unusable();
    let run = project.run_in(context).await.expect("driven");
    assert_eq!(
        run.done.blocked.as_ref().map(|blocked| blocked.code),
        Some(BlockCode::RunTime)
    );
}

/// Returns a shell whose start is an internal failure.
fn unusable() -> Shell {
    Shell::Bash("/nonexistent/bash".into())
}

#[tokio::test]
async fn a_stopped_run_is_interrupted_and_its_command_ended() {
    let project = Project::new(&["backpressure: echo $$ > pid; exec sleep 600"]);
    let context = project.context();
    let groups = context.groups.clone();
    let pid = project.root().join("pid");
    let stop = async {
        while std::fs::read_to_string(&pid).unwrap_or_default().is_empty() {
            tokio::task::yield_now().await;
        }
        let notes = project.run_dir().child_slot().running().expect("readable");
        assert_eq!(notes.len(), 1, "the group is recorded");
        project.stop.send_replace(Stop::Kill);
    };
    let (run, ()) = tokio::join!(project.run_in(context), stop);
    assert!(matches!(run.err(), Some(DriveError::Interrupted)));
    assert_eq!(groups.live(), 0);
    let notes = project.run_dir().child_slot().running().expect("readable");
    assert_eq!(notes.len(), 0, "the record is gone");
}

#[tokio::test]
async fn a_stopping_run_starts_nothing() {
    let project = Project::new(&["backpressure: touch started"]);
    project.stop.send_replace(Stop::Stop);
    let run = project.run_in(project.context()).await;
    assert!(matches!(run.err(), Some(DriveError::Interrupted)));
    assert!(!project.root().join("started").exists());
}

#[tokio::test]
async fn a_log_that_cannot_be_written_breaks_the_run() {
    let project = Project::new(&["backpressure: echo said"]);
    let log = project.run_dir().log("task.1.gate.1.1-1");
    std::fs::create_dir_all(log.path()).expect("in its place");
    let Some(DriveError::Broken(message)) = project.run_in(project.context()).await.err() else {
        panic!("the run is broken");
    };
    let path = log.path().display();
    assert!(
        message.starts_with(&format!("the log {path} cannot be written: ")),
        "{message}"
    );
}
