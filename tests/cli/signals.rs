//! Ctrl-C, TERM and HUP while programs run.

use std::fs;
use std::process::{Child, Command};

use serde_json::Value;
use tokio::runtime;
use tokio::signal::unix::{self, SignalKind};

use crate::fifo::Fifo;
use crate::scripted::{PASS, Scripted};
use crate::support::{Ran, short};

pub(crate) fn signal(name: &str, ralph: &Child) {
    let sent = Command::new("kill")
        .args(["-s", name, &ralph.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// A script that tells that it runs, with a child of its own, and never ends.
fn hang(events: &Fifo) -> String {
    format!("exec 3> {events}; tail -f /dev/null & echo runs >&3; tail -f /dev/null")
}

/// A project with the script in one of the three places where programs run.
fn hanging(place: &str) -> (Scripted, Fifo) {
    let project = Scripted::working();
    let events = Fifo::new(&project);
    let script = hang(&events);
    match place {
        "reviewer" => project.reviewer(&script),
        "applier" => project.applier(&script),
        _ => {
            project.reviewer(&format!("echo '{PASS}'"));
            fs::write(project.outside("task-1"), script).unwrap();
        }
    }
    (project, events)
}

fn last_record(project: &Scripted) -> Value {
    let journal = fs::read_to_string(project.journal()).unwrap();
    assert!(journal.ends_with('\n'));
    serde_json::from_str(journal.lines().last().unwrap()).unwrap()
}

/// Has programs start with the usual SIGHUP, also where the tests were started
/// without it (`nohup`): a signal that is ignored stays so in what is started,
/// one that is received does not.
pub(crate) fn hear_hangups() {
    let runtime = runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let _entered = runtime.enter();
    // It is heard from now on, whether anybody listens.
    drop(unix::signal(SignalKind::hangup()).unwrap());
}

#[test]
fn a_signal_ends_all_programs_and_keeps_the_journal() {
    hear_hangups();
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for place in ["reviewer", "applier", "task"] {
            let (project, events) = hanging(place);
            let ralph = project.run(&[]).into_std().spawn().unwrap();
            let mut events = events.open();
            assert_eq!(events.line(), "runs");
            signal(name, &ralph);
            assert_eq!(events.rest(), "", "{place}");
            let ran = Ran::new(&project.environment, ralph.wait_with_output().unwrap());
            let ran = ran.exits(code);
            let journal = project.journal();
            let run = journal.parent().unwrap().file_name().unwrap();
            let next = format!("resume {}", short(run.to_str().unwrap()));
            assert_eq!(ran.next_command(), Some(&*next), "{place}: {ran:#?}");
            assert!(ran.stdout.contains("\ninterrupted\n"), "{ran:#?}");
            assert_eq!(last_record(&project)["end"]["reason"], "interrupted");
            if place == "task" {
                fs::remove_file(project.outside("task-1")).unwrap();
                project.environment.ralph(next.split(' ')).exits(0);
            }
        }
    }
}

#[test]
fn further_hangups_leave_programs_the_time_to_end() {
    hear_hangups();
    let project = Scripted::working();
    project.reviewer(
        "trap 'for n in 1 2 3 4 5 6 7 8 9; do kill -HUP $PPID; done; exit' TERM\n\
         tail -f /dev/null & kill -HUP $PPID; wait",
    );
    project.run(&[]).run().exits(129);
    assert_eq!(last_record(&project)["end"]["reason"], "interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let project = Scripted::new(&["true"]);
    project.reviewer(&format!("kill -HUP $PPID; echo '{PASS}'"));
    project.run(&[]).after("trap '' HUP").run().exits(0);
}

#[test]
fn an_interrupted_run_is_reported_as_one() {
    let (project, events) = hanging("reviewer");
    let arguments = ["--format", "json"];
    let ralph = project.run(&arguments).into_std().spawn().unwrap();
    let mut events = events.open();
    assert_eq!(events.line(), "runs");
    signal("INT", &ralph);
    let ran = Ran::new(&project.environment, ralph.wait_with_output().unwrap());
    let report = ran.exits(130).json();
    assert_eq!(report["outcome"], "interrupted");
    assert_eq!(report["exit"], 130);
    assert_eq!(report["block_code"], Value::Null);
    let listed = project.environment.ralph(["report", "--format", "json"]);
    assert_eq!(listed.exits(0).json()["runs"][0]["outcome"], "interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_left_its_group_ends_with_its_call() {
    let project = Scripted::new(&[]);
    let (pipe, number) = (Fifo::new(&project), project.outside("number"));
    let number = number.display();
    project.reviewer(&format!(
        "setsid sh -c 'echo $$ > {pipe}; exec sleep 600' & read pid < {pipe}\n\
         echo $pid > {number}; echo '{PASS}'"
    ));
    project.run(&["--no-tasks"]).run().exits(0);
    let number = fs::read_to_string(project.outside("number")).unwrap();
    let asked = Command::new("kill").args(["-0", number.trim()]).output();
    assert!(!asked.unwrap().status.success());
}

#[test]
fn a_second_signal_does_not_wait_for_a_program_that_ignores_the_first() {
    let project = Scripted::working();
    let events = Fifo::new(&project);
    project.reviewer(&format!(
        "exec 3> {events}; trap '' TERM INT; echo runs >&3; tail -f /dev/null"
    ));
    let mut ralph = project.run(&[]).into_std().spawn().unwrap();
    let mut events = events.open();
    assert_eq!(events.line(), "runs");
    // Signals that arrive together count as one, so they go on until two did not.
    while ralph.try_wait().unwrap().is_none() {
        signal("INT", &ralph);
    }
    let ran = Ran::new(&project.environment, ralph.wait_with_output().unwrap());
    ran.exits(130);
    events.rest();
    assert!(
        last_record(&project).get("start").is_some(),
        "no time to record an end"
    );
}
