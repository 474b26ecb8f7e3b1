//! Commands of tasks that run side by side.

use std::fs;
use std::process::Command;

use crate::fifo::{Events, Fifo};
use crate::scripted::Scripted;

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
fn a_resume_sets_how_many_tasks_run_at_a_time() {
    let project = hooked(&["[]", "[]"]);
    for task in [1, 2] {
        hook(&project, task, "false");
    }
    project.run(&["--tasks-only"]).run().exits(1);
    let jobs = ["--set", "task.jobs=2"];
    project.resume(&jobs).run().exits(1);
    pipe(&project, "meeting");
    hook(&project, 1, "echo here > \"$HOME/meeting\"");
    hook(&project, 2, "cat \"$HOME/meeting\"");
    // The number stays until another one is set.
    project.resume(&[]).run().exits(0);
}

#[test]
fn the_cache_of_the_tree_is_not_saved_after_each_command() {
    let project = hooked(&["[]"; 5]);
    for number in 1..=5 {
        let cache = ".ralph-review/cache/tree-*";
        let note = format!("ls -i {cache} | cut -d ' ' -f 1 >> \"$HOME/saved\"");
        hook(&project, number, &note);
    }
    project.run(&["--tasks-only"]).run().exits(0);
    let saved = fs::read_to_string(project.outside("saved")).unwrap();
    let files: Vec<_> = saved.lines().collect();
    assert_eq!(
        files, [files[0]; 5],
        "it is one file, written before the first command"
    );
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

/// A run that was killed.
struct Killed {
    project: Scripted,
    /// The commands of the tasks that had ended.
    ended: Vec<String>,
    /// Held open by the commands that still run.
    events: Events,
}

/// Six tasks, three at a time, of which `ended` have ended when the run is killed;
/// the others that were started still run then.
fn killed_after(ended: usize) -> Killed {
    let project = hooked(&["[]"; 6]);
    let started = Fifo::new(&project);
    for number in 1..=6 {
        pipe(&project, &format!("go-{number}"));
        let waits =
            format!("exec 4> {started}; echo {number} >&4; read go < \"$HOME/go-{number}\"");
        hook(&project, number, &waits);
    }
    let run = project.run(&["--tasks-only", "--jobs", "3"]);
    let mut run = run.into_std().spawn().unwrap();
    let mut events = started.open();
    let mut open: Vec<_> = (0..3).map(|_| events.line()).collect();
    let ended = (0..ended).map(|_| {
        let first = open.remove(0);
        fs::write(project.outside(&format!("go-{first}")), "go\n").unwrap();
        // The next command starts after the result of this one is recorded.
        open.push(events.line());
        format!("task {first}")
    });
    let ended = ended.collect();
    run.kill().unwrap();
    run.wait().unwrap();
    Killed {
        project,
        ended,
        events,
    }
}

#[test]
fn a_kill_with_three_commands_open_repeats_these_and_nothing_that_is_recorded() {
    for count in 0..=3 {
        let Killed {
            project,
            ended,
            mut events,
        } = killed_after(count);
        assert_eq!(project.calls().len(), count + 3);
        for number in 1..=6 {
            fs::remove_file(project.outside(&format!("task-{number}"))).unwrap();
        }
        project.forget_calls();
        let other = ["--set", "task.jobs=2"];
        let refused = project.resume(&other).run().exits(2).stderr;
        let told = "error: a run that was cut off goes on with the jobs that it has\n";
        assert!(refused.starts_with(told), "{refused}");
        let report = project.resume(&["--format", "json"]).run().exits(0).json();
        assert_eq!(events.rest(), "", "the commands that were left are ended");
        let mut calls = project.calls();
        calls.sort();
        let mut again: Vec<_> = (1..=6).map(|number| format!("task {number}")).collect();
        again.retain(|call| !ended.contains(call));
        assert_eq!(calls, again, "after {count}");
        let tasks = report["tasks"].as_array().unwrap();
        let states: Vec<_> = tasks.iter().map(|task| &task["status"]).collect();
        assert_eq!(states, ["passed"; 6], "after {count}");
        assert_eq!(report["outcome"], "passed", "after {count}");
    }
}
