//! The commands of all tasks together, and the task that broke one.

use super::Project;

/// Ends the run that the command is run for.
const KILL: &str = "kill -9 $PPID";

/// Five tasks, of which the third breaks the command of the first until that is reported to its agent. Each run
/// of that command that fails does this.
fn unit(when_red: &str) -> Project {
    let project = Project::new(&["[]", "[]", "[1]", "[]", "[]"]);
    let command = format!("grep -qx 1 1.txt; if [ -e bad.txt ]; then {when_red}; exit 1; fi");
    project.task(1, "[]", &format!("'{command}'"));
    project.commit();
    project.agent(
        3,
        "if [ -e bad.txt ]; then rm bad.txt; else echo 3 > 3.txt; touch bad.txt; fi",
    );
    project
}

#[test]
pub(super) fn the_task_that_broke_the_command_of_another_fixes_it_and_all_land() {
    for jobs in ["1", "3"] {
        let project = unit("echo bad.txt is there");
        let ran = project.run(&["--jobs", jobs]).run().exits(0);
        assert_eq!(project.states(), ["landed"; 5], "{}", ran.stdout);
        let rejected = |task| project.rejected(task);
        assert_eq!(rejected(3), ["semantic_conflict"], "{}", ran.stdout);
        assert!(
            [1, 2, 4, 5]
                .into_iter()
                .all(|task| rejected(task).is_empty())
        );
        assert_eq!(project.calls().len(), 6);
        let broke = "task 3 broke `grep -qx 1 1.txt; if [ -e bad.txt ]";
        assert!(ran.stdout.contains(broke), "{}", ran.stdout);
        assert!(ran.stdout.contains(" of task 1: "), "{}", ran.stdout);
        let prompt = project.prompt(3, 2);
        assert!(prompt.contains(broke), "{prompt}");
        assert!(prompt.contains("bad.txt is there"), "{prompt}");
        assert!(!project.environment.root().join("bad.txt").exists());
    }
}

#[test]
fn a_run_killed_in_the_search_finds_the_same_task() {
    // The first red runs are those before landing, the next one is part of the search.
    let project = unit(&format!(
        "echo red >> \"$HOME/red\"; [ $(wc -l < \"$HOME/red\") = 3 ] && {KILL}"
    ));
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.rejected(3), ["semantic_conflict"]);
    assert_eq!(project.states(), ["landed"; 5]);
    assert_eq!(project.calls(), ["1.1", "2.1", "3.1", "4.1", "5.1", "3.2"]);
}

/// A project with this command in `lane.check`.
fn checked(check: &str, dependencies: &[&str]) -> Project {
    let project = Project::new(dependencies);
    let config = format!("[lane]\ncheck = \"{check}\"\n");
    project.environment.write("ralph.toml", config);
    project.commit();
    project
}

#[test]
fn a_task_that_breaks_the_command_of_all_is_fixed_before_landing() {
    let project = checked("test ! -e bad.txt", &["[]", "[]", "[]"]);
    project.agent(
        2,
        "if [ -e bad.txt ]; then rm bad.txt; else echo 2 > 2.txt; touch bad.txt; fi",
    );
    let ran = project.run(&[]).run().exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "3.1", "2.2"]);
    assert_eq!(project.rejected(2), ["semantic_conflict"]);
    assert_eq!(project.states(), ["landed"; 3]);
    let broke = "task 2 broke `test ! -e bad.txt` (`lane.check`): exit status 1";
    assert!(ran.stdout.contains(broke), "{}", ran.stdout);
}

#[test]
fn what_fails_before_any_work_blames_no_task_and_lands_once_it_passes() {
    let project = checked("test -e ready.txt", &["[]", "[]"]);
    let ran = project.run(&[]).run().exits(1);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
    assert_eq!(project.states(), ["on_lane", "on_lane"]);
    for text in [
        "not landed, on the lane: tasks 1, 2 (target_red)",
        "`test -e ready.txt` (`lane.check`) fails without the work of any task",
        "correct what the report names, then land the finished work",
    ] {
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
    project.environment.write("ready.txt", "");
    project.git(&["add", "ready.txt"]);
    project.git(&["commit", "-q", "-m", "Ready"]);
    project.environment.ralph(["land", "latest"]).exits(0);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Ready", "Start"]);
    assert_eq!(project.calls(), ["1.1", "2.1"]);
}
