//! Each part is killed in each kind of step.

use rustix::process::{Signal, kill_process};

use crate::support::{Process, Site};

/// What is killed, or cut for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Worker,
    Relay,
    Driver,
    Server,
    Line,
}

const STEPS: [&str; 3] = ["checkout", "work", "gate"];

/// Kills a part while a step of worker `one` waits, lets the step go on and brings the run to
/// its end.
fn kill(site: &mut Site, mut run: Process, victim: Victim, step: &str, code: i32) {
    match victim {
        Victim::Worker => {
            site.worker("one").kill();
            site.start_worker("one");
            site.wait_until(step, "one", 1);
        }
        Victim::Relay => kill_process(site.relay(), Signal::KILL).unwrap(),
        Victim::Driver => {
            run.kill();
            run = site.ralph(&["resume"]);
        }
        Victim::Server => {
            site.kill_server();
            site.start_server();
        }
        Victim::Line => {
            site.cut_line("one");
            site.line.mend();
        }
    }
    site.release(step);
    run.exits(code);
}

fn each_step_survives(victim: Victim, is_repeated: bool) {
    for (number, step) in STEPS.iter().enumerate() {
        let Some(mut site) = Site::new(1, &["one"]) else {
            return;
        };
        site.hold(step);
        let run = site.run_by_engine();
        site.wait_until(step, "one", 0);
        kill(&mut site, run, victim, step, 0);
        assert_eq!(site.states(), ["landed"]);
        assert_eq!(site.landed().len(), 2, "{:?}", site.landed());
        let mut expected = [1; 3];
        expected[number] += usize::from(is_repeated);
        assert_eq!(site.work_of("one"), expected, "{victim:?} {step}");
        println!("{victim:?} in {step}: {:?}", site.work_of("one"));
    }
}

#[test]
fn a_worker_that_is_started_again_repeats_its_step_at_once() {
    each_step_survives(Victim::Worker, true);
}

#[test]
fn a_relay_that_is_killed_repeats_nothing() {
    each_step_survives(Victim::Relay, false);
}

#[test]
fn a_driver_that_is_killed_repeats_nothing() {
    each_step_survives(Victim::Driver, false);
}

#[test]
fn a_server_that_is_killed_repeats_nothing() {
    each_step_survives(Victim::Server, false);
}

#[test]
fn a_connection_that_breaks_repeats_nothing() {
    each_step_survives(Victim::Line, false);
}

#[test]
fn a_task_that_waits_for_a_user_does_so_whatever_is_killed() {
    let victims = [
        Victim::Worker,
        Victim::Relay,
        Victim::Driver,
        Victim::Server,
        Victim::Line,
    ];
    for victim in victims {
        let Some(mut site) = Site::new(2, &["one"]) else {
            return;
        };
        let asks = "echo '{\"outcome\": \"question\", \"text\": \"Which?\"}'";
        site.write("control/agent-1", asks);
        site.write("control/agent-2", "reaches other; echo 2 > 2.txt");
        site.hold("other");
        let run = site.run_by_engine();
        site.wait_until("other", "one", 0);
        kill(&mut site, run, victim, "other", 1);
        assert_eq!(site.states(), ["parked", "landed"], "{victim:?}");
        site.write("control/agent-1", "echo 1 > 1.txt");
        site.ralph(&["guide", "latest", "--task", "1", "This one"])
            .exits(0);
        site.ralph(&["resume"]).exits(0);
        assert_eq!(site.states(), ["landed", "landed"], "{victim:?}");
        assert_eq!(site.landed().len(), 3, "{:?}", site.landed());
        let is_repeated = usize::from(victim == Victim::Worker);
        assert_eq!(site.work_of("one")[1], 3 + is_repeated, "{victim:?}");
    }
}
