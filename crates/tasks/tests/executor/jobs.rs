//! Commands that run concurrently in one tree.

use std::num::NonZeroU32;
use std::process::Command;

use crate::support::{Project, task_path};

/// Returns a project with two tasks that meet at a named pipe: neither of them ends
/// alone. The first one runs `first` before.
fn meeting(first: &str) -> Project {
    let mut project = Project::new(&[]);
    project.jobs = NonZeroU32::new(2).expect("not 0");
    let pipe = project.outside("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let pipe = pipe.display();
    let commands = [
        format!("{first} && echo here > {pipe}"),
        format!("cat {pipe}"),
    ];
    for (number, command) in (1..).zip(commands) {
        let text =
            format!("---\ntask: {number}\nstatus: pending\nbackpressure: {command}\n---\n# T\n");
        project.write(&task_path(number), &text);
    }
    project
}

#[tokio::test]
async fn two_jobs_run_at_a_time() {
    let project = meeting("true");
    let run = project.run().await;
    assert_eq!(run.states(), [("passed", false), ("passed", false)]);
    assert_eq!(project.proven().await, [1, 2]);
}

#[tokio::test]
async fn a_change_of_the_tree_is_reported_for_all_commands_that_overlap() {
    let project = meeting("echo new > new.txt");
    let run = project.run().await;
    assert_eq!(run.states(), [("passed", false), ("passed", false)]);
    let changed: Vec<_> = run.finished.iter().map(|task| task.changed_tree).collect();
    assert_eq!(changed, [true, true]);
    assert_eq!(project.proven().await, [0_u32; 0]);
}
