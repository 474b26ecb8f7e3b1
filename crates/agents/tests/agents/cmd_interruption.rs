use std::sync::Arc;
use std::time::Duration;

use review::types::{AgentError, FailedBy};
use review_agents::{AgentContext, Interruption};
use review_process::Stop;
use tokio::time::Instant;

use crate::support::{Project, answer, program_in};

/// Runs a script of the shell that `stop` interrupts once it has begun.
async fn interrupted(
    project: &Project,
    context: &Arc<AgentContext>,
    script: &str,
    stop: Stop,
) -> AgentError {
    let line = shell_words::join(["sh", "-c", script]);
    let agent = program_in(&line, context);
    let stopping = async {
        while !project.has_started() {
            tokio::task::yield_now().await;
        }
        project.stopper.send_replace(stop);
    };
    tokio::join!(answer(&agent), stopping).0.unwrap_err()
}

#[tokio::test]
async fn the_context_reports_that_the_run_stopped_a_call() {
    for (stop, signal) in [(Stop::Stop, 15), (Stop::Kill, 9)] {
        let project = Project::new();
        let context = Arc::new(project.context());
        assert_eq!(context.interruption(), None);
        let error = interrupted(
            &project,
            &context,
            "touch begun; exec tail -f /dev/null",
            stop,
        )
        .await;
        assert_eq!(context.interruption(), Some(Interruption::Stopped));
        assert_eq!(error.failure, FailedBy::Signal(signal).into());
        assert_eq!(
            error.message,
            "`sh` was stopped with the run; it wrote nothing to its standard error"
        );
        assert_eq!(context.groups.live(), 0);
    }
}

#[tokio::test]
async fn a_program_that_is_stopped_and_ends_well_gives_no_answer() {
    let project = Project::new();
    let context = Arc::new(project.context());
    let script = "trap 'echo done; exit 0' TERM; touch begun; tail -f /dev/null & wait";
    let error = interrupted(&project, &context, script, Stop::Stop).await;
    assert_eq!(error.failure, FailedBy::Signal(15).into());
}

#[tokio::test]
async fn nothing_is_started_in_a_run_that_is_stopped() {
    let project = Project::new();
    project.stopper.send_replace(Stop::Stop);
    let context = Arc::new(project.context());
    let agent = program_in("touch asked", &context);
    let error = answer(&agent).await.unwrap_err();
    assert_eq!(
        error.message,
        "program \"touch\" was not started because the run is being stopped"
    );
    assert_eq!(context.interruption(), Some(Interruption::Stopped));
    assert!(!project.path("root/asked").exists());
}

#[tokio::test]
async fn the_end_of_the_run_cuts_a_call() {
    let project = Project::new();
    let mut context = project.context();
    context.deadline = Some(Instant::now() + Duration::from_millis(40));
    let context = Arc::new(context);
    let agent = program_in("tail -f /dev/null", &context);
    let error = answer(&agent).await.unwrap_err();
    assert_eq!(error.failure.as_str(), "hung");
    assert_eq!(context.interruption(), Some(Interruption::RunTime));
}

#[tokio::test]
async fn a_run_with_time_left_leaves_a_call_its_own_limit() {
    let project = Project::new();
    let mut context = project.context();
    context.deadline = Some(Instant::now() + Duration::from_secs(3600));
    context.limits.wall = Some(Duration::from_millis(40));
    let context = Arc::new(context);
    let agent = program_in("tail -f /dev/null", &context);
    let error = answer(&agent).await.unwrap_err();
    assert!(error.message.contains("not done after 40ms"), "{error}");
    assert_eq!(context.interruption(), None);
}
