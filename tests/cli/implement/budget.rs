//! Limits on calls hold for those of agents that implement tasks.

use std::process::Command;

use super::Project;
use crate::support::Ran;

#[test]
fn without_calls_left_what_is_green_lands_and_the_rest_waits_for_a_higher_limit() {
    let project = Project::committed(&["[]", "[1]", "[]"]);
    let ran = project.run(&["--max-calls", "1"]).run().exits(5);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.states(), ["landed", "not_run", "not_run"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
    let report = project.report();
    assert_eq!(report["block_code"], "budget");
    let reason = report["block_reason"].as_str().unwrap();
    assert!(
        reason.starts_with("all 1 call of the run are used up; 2 of 3 tasks did not pass"),
        "{reason}"
    );
    let next = ran.next_command().unwrap();
    assert!(next.contains("--max-calls "), "{next}");
    // Without a higher limit there is nothing to go on with.
    project.environment.ralph(["resume", "latest"]).exits(5);
    assert_eq!(project.calls(), ["1.1"]);
    let resume = ["resume", "latest", "--max-calls", "3"];
    project.environment.ralph(resume).exits(0);
    assert_eq!(project.calls(), ["1.1", "2.1", "3.1"]);
    assert_eq!(project.states(), ["landed", "landed", "landed"]);
}

#[test]
fn attempts_count_and_agents_at_a_time_do_not_exceed_the_limit() {
    let project = Project::committed(&["[]", "[]", "[]"]);
    project.agent(
        1,
        "[ $RALPH_ATTEMPT = 2 ] && echo 1 > 1.txt || echo no > 1.txt",
    );
    project.run(&["--max-calls", "2"]).run().exits(5);
    assert_eq!(project.calls(), ["1.1", "1.2"]);
    assert_eq!(project.states(), ["landed", "not_run", "not_run"]);

    let project = Project::committed(&["[]", "[]", "[]"]);
    project
        .run(&["--max-calls", "2", "--jobs", "3"])
        .run()
        .exits(5);
    assert_eq!(project.calls().len(), 2);
    assert_eq!(project.states(), ["landed", "landed", "not_run"]);
}

#[test]
fn an_attempt_that_was_cut_off_by_the_limit_goes_on_with_its_files() {
    let project = Project::committed(&["[]"]);
    project.agent(
        1,
        "[ -e half.txt ] && echo 1 > 1.txt || echo half > half.txt",
    );
    project.run(&["--max-calls", "1"]).run().exits(5);
    assert_eq!(project.states(), ["not_run"]);
    let resume = ["resume", "latest", "--max-calls", "2"];
    project.environment.ralph(resume).exits(0);
    assert_eq!(project.calls(), ["1.1", "1.2"]);
    assert_eq!(project.log(), ["Task 1", "Start"]);
}

#[test]
fn a_limit_that_cannot_be_kept_is_refused() {
    let project = Project::committed(&["[]"]);
    for (option, what) in [("--max-tokens", "tokens"), ("--max-cost", "cost")] {
        let ran = project.run(&[option, "5"]).run().exits(2);
        let error = format!("error: a limit of {what} cannot be kept: what a call of cmd:agent");
        assert!(ran.stderr.starts_with(&error), "{}", ran.stderr);
    }
    assert!(project.calls().is_empty());
}

/// Runs a project whose state of programs is on a file system of this size, for this
/// process alone; `None` where the system allows no such file system.
fn run_with_space(project: &Project, size: &str) -> Option<Ran> {
    let states = project.environment.home().join("states");
    std::fs::create_dir(&states).unwrap();
    let own_mounts = Command::new("unshare").args(["-rm", "true"]).output();
    if !own_mounts.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mount = format!(
        "exec unshare -rm /bin/sh -c 'mount -t tmpfs -o size={size} none \"$XDG_STATE_HOME\" && \
         exec \"$0\" \"$@\"' \"$0\" \"$@\""
    );
    let run = project.run(&[]).env("XDG_STATE_HOME", &states);
    Some(run.after(mount).run())
}

#[test]
fn without_free_space_no_run_starts() {
    let project = Project::committed(&["[]"]);
    let Some(ran) = run_with_space(&project, "100m") else {
        return;
    };
    let ran = ran.exits(2);
    assert!(project.calls().is_empty());
    let expected = "error: less than 500 MiB is free where the checkouts are\n";
    assert!(ran.stderr.contains(expected), "{ran:#?}");
    project.environment.ralph(["report", "latest"]).exits(2);
}

#[test]
fn an_attempt_for_which_no_space_is_left_is_not_paid_for_and_the_run_says_so() {
    let project = Project::committed(&["[]"]);
    project.agent(1, "fallocate -l 40M big.txt");
    let Some(ran) = run_with_space(&project, "530m") else {
        return;
    };
    let ran = ran.exits(5);
    assert_eq!(project.calls(), ["1.1"]);
    assert_eq!(project.states(), ["not_run"]);
    let report = project.report();
    assert_eq!(report["block_code"], "disk_floor");
    assert_eq!(
        report["block_reason"],
        "less than 500 MiB is free where the checkouts are"
    );
    assert!(ran.stdout.contains("free some space"), "{}", ran.stdout);
}

#[test]
fn what_is_on_the_lane_when_the_time_is_up_can_be_landed() {
    let project = Project::committed(&["[]", "[1]"]);
    // The second call does not end by itself.
    project.agent(2, "read -r never < \"$HOME/fifo\"");
    let fifo = project.environment.home().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    project.run(&["--max-time", "15s"]).run().exits(5);
    assert_eq!(project.log(), ["Start"]);
    let landed = project.environment.ralph(["land", "latest"]);
    assert_eq!(project.log(), ["Task 1", "Start"], "{}", landed.stdout);
}
