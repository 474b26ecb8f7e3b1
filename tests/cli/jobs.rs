//! Commands of tasks that run side by side.

use std::fs;
use std::process::Command;

use crate::fifo::Fifo;
use crate::scripted::Scripted;
use crate::support::Ran;

/// A project with a task for each list of dependencies. Each runs the script
/// `task-N` outside the project where it exists.
fn hooked(waits: &[&str]) -> Scripted {
    let project = Scripted::new(&[]);
    for (at, waits) in waits.iter().enumerate() {
        let number = at + 1;
        let hook = format!("\"$HOME/task-{number}\"");
        let command =
            format!("echo task {number} >> \"$HOME/calls\"; if [ -e {hook} ]; then . {hook}; fi");
        project.task(number, waits, &command);
    }
    project
}

fn hook(project: &Scripted, number: usize, script: &str) {
    fs::write(project.outside(&format!("task-{number}")), script).unwrap();
}

fn pipe(project: &Scripted, name: &str) {
    let made = Command::new("mkfifo").arg(project.outside(name)).status();
    assert!(made.unwrap().success());
}

#[test]
fn independent_tasks_run_at_a_time_as_option_and_configuration_say() {
    for (options, configuration) in [(&["--jobs", "2"][..], ""), (&[], "[task]\njobs = 2\n")] {
        let project = hooked(&["[]", "[]"]);
        project.write("ralph.toml", configuration);
        pipe(&project, "meeting");
        hook(&project, 1, "echo here > \"$HOME/meeting\"");
        hook(&project, 2, "cat \"$HOME/meeting\"");
        let options = [&["--tasks-only"], options].concat();
        project.run(&options).run().exits(0);
    }
}

#[test]
fn a_gate_runs_independent_commands_at_a_time() {
    let project = hooked(&["[]", "[]"]);
    project.run(&["--tasks-only"]).run().exits(0);
    project.write("code", "changed");
    pipe(&project, "meeting");
    hook(&project, 1, "echo here > \"$HOME/meeting\"");
    hook(&project, 2, "cat \"$HOME/meeting\"");
    let gate = ["gate", "--jobs", "2"];
    project.environment.ralph(gate).exits(0);
}

#[test]
fn a_kill_with_three_commands_open_runs_these_again_and_what_is_recorded_never() {
    let project = hooked(&["[]", "[]", "[]", "[1]"]);
    let held = Fifo::new(&project);
    pipe(&project, "open");
    pipe(&project, "never");
    let blocks = format!("exec 4> {held}; echo open > \"$HOME/open\"; cat \"$HOME/never\"");
    hook(&project, 2, &blocks);
    hook(&project, 3, &blocks);
    let kills = "exec 3<> \"$HOME/open\"; read a <&3; read b <&3; kill -9 $PPID";
    hook(&project, 4, kills);
    let run = project.run(&["--tasks-only", "--jobs", "3"]);
    let run = run.into_std().spawn().unwrap();
    let mut left = held.open();
    let ran = Ran::new(&project.environment, run.wait_with_output().unwrap());
    assert_eq!(ran.code, 137, "{ran:#?}");
    let mut calls = project.calls();
    calls.sort();
    assert_eq!(calls, ["task 1", "task 2", "task 3", "task 4"]);
    for number in 2..=4 {
        fs::remove_file(project.outside(&format!("task-{number}"))).unwrap();
    }
    project.forget_calls();
    let ran = project.resume(&["--format", "json"]).run().exits(0);
    assert_eq!(left.rest(), "", "the commands that were left are ended");
    let mut calls = project.calls();
    calls.sort();
    assert_eq!(calls, ["task 2", "task 3", "task 4"]);
    let report = ran.json();
    assert_eq!(report["outcome"], "passed");
}
