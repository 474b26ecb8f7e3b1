use crate::support::{Project, task_path};

const PASSED: (&str, bool) = ("passed", false);
const CACHED: (&str, bool) = ("passed", true);

/// Returns a project whose only task counts its runs outside the tree.
fn counting() -> Project {
    let project = Project::new(&[""]);
    let runs = project.outside("runs");
    let command = format!(
        "backpressure: echo run >> {}; echo 2 passed in 1s",
        runs.display()
    );
    let text = format!("---\ntask: 1\nstatus: pending\n{command}\n---\n# T1\n");
    project.write(&task_path(1), &text);
    project
}

fn runs(project: &Project) -> usize {
    let runs = std::fs::read_to_string(project.outside("runs"));
    runs.map_or(0, |runs| runs.lines().count())
}

#[tokio::test]
async fn an_unchanged_task_is_not_run_again() {
    let project = counting();
    assert_eq!(project.proven().await, [0; 0]);
    assert_eq!(project.run().await.states(), [PASSED]);
    assert!(project.read(&task_path(1)).contains("status: complete"));
    assert_eq!(project.proven().await, [1]);
    let again = project.run().await;
    assert_eq!(again.states(), [CACHED]);
    assert_eq!(again.only().tests_run, Some(2));
    assert_eq!(again.only().log, None);
    assert_eq!(runs(&project), 1);
}

#[tokio::test]
async fn a_change_of_tree_task_or_command_voids_the_record() {
    let project = counting();
    project.run().await;
    let changes: [&dyn Fn(); 4] = [
        &|| project.write("src/new.txt", "x"),
        &|| project.write("src/new.txt", "y"),
        &|| project.replace(&task_path(1), "# T1", "# Task 1"),
        &|| project.replace(&task_path(1), "echo run", "echo another run"),
    ];
    for (index, change) in changes.iter().enumerate() {
        change();
        assert_eq!(project.proven().await, [0; 0], "change {index}");
        assert_eq!(project.run().await.states(), [PASSED], "change {index}");
        assert_eq!(project.run().await.states(), [CACHED], "change {index}");
    }
    assert_eq!(runs(&project), 1 + changes.len());
}

#[tokio::test]
async fn a_status_does_not_void_the_record() {
    let project = counting();
    project.run().await;
    project.replace(&task_path(1), "complete", "in_progress");
    assert_eq!(project.run().await.states(), [CACHED]);
    assert!(project.read(&task_path(1)).contains("status: complete"));
}

#[tokio::test]
async fn a_command_that_changes_the_tree_passes_and_runs_again() {
    let project = Project::new(&["backpressure: date +%N >> log.txt; cp log.txt copy.txt"]);
    for _ in 0..2 {
        let run = project.run().await;
        assert_eq!(run.states(), [PASSED]);
        assert!(run.only().changed_tree);
    }
    assert_eq!(project.read("log.txt").lines().count(), 2);
    let settling = Project::new(&["backpressure: echo made > made.txt"]);
    assert!(settling.run().await.only().changed_tree);
    assert!(!settling.run().await.only().changed_tree);
    assert_eq!(settling.run().await.states(), [CACHED]);
}

#[tokio::test]
async fn a_run_that_changed_the_tree_proves_nothing_even_if_the_change_is_undone() {
    let project = Project::new(&["backpressure: echo made > made.txt"]);
    for _ in 0..2 {
        assert_eq!(project.run().await.states(), [PASSED]);
        std::fs::remove_file(project.root().join("made.txt")).expect("removed");
    }
    assert_eq!(project.proven().await, [0; 0]);
}

#[tokio::test]
async fn the_hashes_of_files_are_kept_for_the_next_run() {
    let project = counting();
    let context = project.context();
    let cache = context.state.area(review_store::Area::Cache);
    project.run_in(context).await.expect("driven");
    let entries = std::fs::read_dir(cache).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let kept = names.filter(|name| name.to_string_lossy().starts_with("tree-"));
    assert_eq!(kept.count(), 1);
}

#[tokio::test]
async fn a_failed_run_is_not_recorded() {
    let project = Project::new(&["backpressure: exit 1"]);
    for _ in 0..2 {
        assert_eq!(project.run().await.states(), [("failed", false)]);
    }
    assert!(!project.record().exists());
}

#[tokio::test]
async fn a_damaged_record_proves_nothing_and_is_replaced() {
    let project = counting();
    project.run().await;
    std::fs::write(project.record(), "{\"v\":1").expect("written");
    assert_eq!(project.run().await.states(), [PASSED]);
    assert_eq!(project.run().await.states(), [CACHED]);
}

#[tokio::test]
async fn the_record_contains_what_was_proved() {
    let project = counting();
    project.run().await;
    let json = std::fs::read(project.record()).expect("a record");
    let record: review_store::TaskRecord = serde_json::from_slice(&json).expect("readable");
    assert_eq!(record.exit, 0);
    assert_eq!(record.tests_run, Some(2));
    assert_eq!(record.run.as_str(), "run-1");
    assert_eq!(record.command, project.plan().tasks()[0].commands);
    assert!(record.tree.is_some());
}

#[tokio::test]
async fn ignored_files_of_a_git_work_tree_do_not_count() {
    let project = counting();
    project.git(&["init", "--quiet"]);
    project.write(".gitignore", "*.tmp\n");
    project.write("kept.txt", "1");
    project.git(&["add", "kept.txt"]);
    assert_eq!(project.run().await.states(), [PASSED]);
    project.write("ignored.tmp", "1");
    assert_eq!(project.run().await.states(), [CACHED]);
    project.write("untracked.txt", "1");
    assert_eq!(project.run().await.states(), [PASSED]);
    project.write("kept.txt", "2");
    assert_eq!(project.run().await.states(), [PASSED]);
    std::fs::remove_file(project.root().join("kept.txt")).expect("removed");
    assert_eq!(project.run().await.states(), [PASSED]);
    assert_eq!(project.run().await.states(), [CACHED]);
}

#[tokio::test]
async fn a_file_whose_name_looks_like_a_key_counts_as_well() {
    let project = counting();
    project.git(&["init", "--quiet"]);
    let name = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    project.write(&name, "1");
    project.run().await;
    project.write(&name, "2");
    assert_eq!(project.run().await.states(), [PASSED]);
}

#[tokio::test]
async fn outside_git_all_files_of_a_walk_count() {
    let project = counting();
    project.write(".gitignore", "*.tmp\n");
    project.run().await;
    project.write("ignored.tmp", "1");
    assert_eq!(project.run().await.states(), [CACHED]);
    project.write("kept.txt", "1");
    assert_eq!(project.run().await.states(), [PASSED]);
}

#[tokio::test]
async fn a_task_that_changes_the_tree_does_not_void_the_records_of_later_ones() {
    let project = Project::new(&[
        "backpressure: 'true'",
        "backpressure: test -f made.txt || echo made > made.txt",
        "backpressure: 'true'",
    ]);
    project.run().await;
    assert_eq!(project.proven().await, [3]);
    assert_eq!(project.run().await.states(), [PASSED, PASSED, CACHED]);
    assert_eq!(project.run().await.states(), [CACHED; 3]);
}
