use review_types::TaskStatus;

use crate::support::{Project, task_path};

#[tokio::test]
async fn a_false_claim_is_corrected() {
    let project = Project::new(&["backpressure: exit 1"]);
    project.replace(&task_path(1), "pending", "complete  # surely");
    let run = project.run().await;
    assert_eq!(run.statuses[0].status, TaskStatus::Pending);
    assert!(
        project
            .read(&task_path(1))
            .contains("\nstatus: pending  # surely\n")
    );
}

#[tokio::test]
async fn only_the_status_of_a_file_changes() {
    let project = Project::new(&[]);
    let before = "\u{feff}---\r\nstatus: 'todo' # later\r\ntask: 1\r\nbackpressure: \"true\"\r\n---\r\nstatus: todo\r\n";
    project.write(&task_path(1), before);
    project.run().await;
    assert_eq!(
        project.read(&task_path(1)),
        before.replace("'todo'", "'complete'")
    );
}

#[tokio::test]
async fn a_file_that_is_deleted_by_its_command_gets_no_status_and_the_reason_is_reported() {
    let project = Project::new(&["backpressure: rm tasks/web/01.md"]);
    let run = project.run().await;
    assert_eq!(run.states(), [("passed", false)]);
    assert!(run.only().changed_tree);
    let kept = run.statuses[0].kept.as_deref().expect("a reason");
    assert!(
        kept.starts_with("tasks/web/01.md keeps its status: "),
        "{kept}"
    );
}
