//! `ralph watch`: a run from another terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::signals::signal;
use crate::support::{Ran, TestEnvironment};
use crate::terminal::{CALLS, Terminal, open, still, waiting};

#[test]
fn a_run_is_watched_from_another_terminal_until_it_ends() {
    let (project, gate) = waiting();
    let run = project.run(&["--no-tasks"]).into_std().spawn().unwrap();
    open(&gate);
    let mut terminal = Terminal::start(project.environment.command(["watch"]), 80);
    terminal.ends_with(&[CALLS[1]]);
    let live = project.journal().with_file_name("live.json");
    let mode = fs::metadata(&live).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    open(&gate);
    terminal.ends_with(&[CALLS[2]]);
    open(&gate);
    let (status, lines) = terminal.end();
    assert!(status.success(), "{lines:#?}");
    assert!(lines.contains(&"passed".to_owned()), "{lines:#?}");
    assert!(lines.iter().all(|line| still(line) == *line), "{lines:#?}");
    Ran::new(&project.environment, run.wait_with_output().unwrap()).exits(0);
    assert!(!live.exists());
}

#[test]
fn an_interrupt_ends_the_watching_in_silence_and_not_the_run() {
    let (project, gate) = waiting();
    let mut run = project.run(&["--no-tasks"]).into_std().spawn().unwrap();
    open(&gate);
    let mut terminal = Terminal::start(project.environment.command(["watch"]), 80);
    terminal.ends_with(&[CALLS[1]]);
    signal("INT", &terminal.ralph);
    let (status, lines) = terminal.end();
    assert_eq!(status.code(), Some(130), "{lines:#?}");
    let screen = lines.join("\n");
    assert!(!screen.contains("interrupted"), "{screen}");
    assert!(!screen.contains("applying ·"), "{screen}");
    assert_eq!(run.try_wait().unwrap(), None);
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn a_killed_run_is_watched_to_its_end() {
    let (project, gate) = waiting();
    let mut run = project.run(&["--no-tasks"]).into_std().spawn().unwrap();
    open(&gate);
    let mut terminal = Terminal::start(project.environment.command(["watch", "latest"]), 80);
    terminal.ends_with(&[CALLS[1]]);
    run.kill().unwrap();
    run.wait().unwrap();
    let (status, lines) = terminal.end();
    assert_eq!(status.code(), Some(130), "{lines:#?}");
    let end = "interrupted: it was cut off".to_owned();
    assert!(lines.contains(&end), "{lines:#?}");
}

#[test]
fn what_a_pipe_is_given_is_what_the_run_printed() {
    let project = crate::scripted::Scripted::working();
    let ran = project.run(&[]).run();
    let watched = project.environment.ralph(["watch", "latest"]);
    assert_eq!(watched.stdout, ran.stdout);
    assert_eq!(watched.code, ran.code);
}

#[test]
fn without_a_run_there_is_nothing_to_watch() {
    let watched = TestEnvironment::new().ralph(["watch"]).exits(4);
    assert_eq!(
        watched.stderr,
        "error: no run is going on\n  hint: `ralph report` lists the runs\n"
    );
}
