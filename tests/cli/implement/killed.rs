//! A run that is killed goes on where it was, and each task lands once.

use super::Project;

/// Ends the run that the agent works for.
const KILL: &str = "kill -9 $PPID";

#[test]
fn a_run_killed_while_an_agent_works_goes_on_in_the_same_checkout() {
    let project = Project::committed(&["[]", "[1]"]);
    project.agent(
        1,
        &format!("if [ -e half.txt ]; then echo 1 > 1.txt; else echo half > half.txt; {KILL}; fi"),
    );
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "1.1", "2.1"]);
    assert_eq!(project.log(), ["Task 2", "Task 1", "Start"]);
    assert_eq!(project.environment.read("half.txt"), "half\n");
    assert!(
        project.prompt(1, 1).contains("interrupted"),
        "{}",
        project.prompt(1, 1)
    );
}

#[test]
fn a_run_killed_in_a_gate_repeats_the_gate_and_no_agent() {
    let project = Project::committed(&["[]"]);
    let once = format!(
        "if [ ! -e \"$HOME/killed\" ] && [ -e 1.txt ]; then touch \"$HOME/killed\"; {KILL}; fi"
    );
    project.task(1, "[]", &format!("{once}; grep -qx 1 1.txt"));
    project.commit();
    let killed = project.run(&[]).into_std().status().unwrap();
    assert!(!killed.success());
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn a_parked_task_gets_new_attempts_on_resume_and_landed_ones_are_kept() {
    let project = Project::committed(&["[]", "[]"]);
    project.agent(1, "echo wrong > 1.txt");
    project.run(&["--attempts", "1"]).run().exits(1);
    assert_eq!(project.states(), ["parked", "landed"]);
    project.agent(1, "echo 1 > 1.txt");
    project.environment.ralph(["resume", "latest"]).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "1.2"]);
    assert_eq!(project.states(), ["landed", "landed"]);
    assert_eq!(project.log(), ["Task 1", "Task 2", "Start"]);
}
