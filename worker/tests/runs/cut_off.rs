//! Hosts that are gone or frozen, and a server that is away.

use std::thread;
use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::support::{HEARTBEAT, Site, is_alive, of_site, wait_for};

#[test]
fn the_task_of_a_host_that_is_gone_goes_on_at_another() {
    let Some(mut site) = Site::new(1, &["one", "two"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    let agent = site.wait_until("work", "two", 0);
    // The machine is gone with all that is on it.
    let home = format!("HOME={}/two", site.folder().display());
    site.worker("two").kill();
    for pid in of_site(site.folder()) {
        let environ = format!("/proc/{}/environ", pid.as_raw_nonzero());
        let environ = std::fs::read(environ).unwrap_or_default();
        if String::from_utf8_lossy(&environ)
            .split('\0')
            .any(|it| it == home)
        {
            // It may have ended with the worker.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    site.wait_until("work", "one", 0);
    assert!(!is_alive(agent));
    site.release("work");
    run.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
    assert_eq!(site.work_of("two"), [1, 1, 0]);
    assert_eq!(site.work_of("one"), [1, 1, 1]);
    let warning = "host two: the connection ended with exit status 1: ";
    assert_eq!(site.log("home").matches(warning).count(), 1);
}

#[test]
fn a_worker_that_was_frozen_ends_what_was_given_to_another() {
    let Some(mut site) = Site::new(1, &["one", "two"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    let frozen = site.wait_until("work", "two", 0);
    site.worker("two").signal(Signal::STOP);
    site.wait_until("work", "one", 0);
    site.worker("two").signal(Signal::CONT);
    wait_for("the end of the first agent", || {
        (!is_alive(frozen)).then_some(())
    });
    site.release("work");
    run.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
    assert_eq!(site.work_of("two"), [1, 1, 0]);
    assert_eq!(site.work_of("one"), [1, 1, 1]);
}

#[test]
fn a_server_that_is_away_for_less_than_the_timeout_repeats_nothing() {
    let Some(site) = Site::new(1, &["one"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    site.wait_until("work", "one", 0);
    site.cut_line("one");
    site.line.mend();
    site.release("work");
    run.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.work_of("one"), [1, 1, 1]);
}

#[test]
fn a_server_that_is_away_for_longer_has_the_step_repeated() {
    let Some(site) = Site::new(1, &["one"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    let first = site.wait_until("work", "one", 0);
    site.line.cut();
    thread::sleep(2 * HEARTBEAT);
    site.line.mend();
    site.wait_until("work", "one", 1);
    assert!(!is_alive(first));
    site.release("work");
    run.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
    assert_eq!(site.work_of("one"), [1, 2, 1]);
}

#[test]
fn a_run_whose_server_stays_away_ends_and_a_resume_takes_the_result_of_its_step() {
    let Some(mut site) = Site::new(1, &["one"]) else {
        return;
    };
    site.patience = 1;
    site.hold("work");
    let mut run = site.run_by_engine();
    let agent = site.wait_until("work", "one", 0);
    site.kill_server();
    run.exits(3);
    let error = "the connection ended with exit status 3: the server cannot be reached";
    assert!(site.log("home").contains(error), "{}", site.log("home"));
    assert!(is_alive(agent));
    site.start_server();
    site.wait_for_worker("one");
    let mut resume = site.ralph(&["resume"]);
    site.release("work");
    resume.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
}

#[test]
fn a_cancelled_run_leaves_no_process_on_its_worker() {
    let Some(mut site) = Site::new(1, &["one"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    let agent = site.wait_until("work", "one", 0);
    run.signal(Signal::INT);
    run.exits(130);
    wait_for("the end of the agent", || (!is_alive(agent)).then_some(()));
    let worker = site.worker("one").0.id();
    wait_for("the end of the step", || {
        children(worker).is_empty().then_some(())
    });
    site.release("work");
    site.ralph(&["resume"]).exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
    assert_eq!(site.work_of("one"), [1, 2, 1]);
}

/// The processes that a process has started.
fn children(parent: u32) -> Vec<String> {
    let children = format!("/proc/{parent}/task/{parent}/children");
    let children = std::fs::read_to_string(children).unwrap();
    children.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn of_two_drivers_of_a_run_one_is_refused_and_no_step_is_carried_out_twice() {
    let Some(site) = Site::new(1, &["one"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    site.wait_until("work", "one", 0);
    site.ralph(&["resume", "latest"]).exits(2);
    // One that is frozen holds its lock; one that is killed does not.
    run.kill();
    let mut drivers = [site.ralph(&["resume"]), site.ralph(&["resume"])];
    site.release("work");
    let mut codes = drivers.each_mut().map(|driver| {
        let ended = wait_for("the end of a driver", || driver.0.try_wait().unwrap());
        ended.code().unwrap()
    });
    codes.sort_unstable();
    // The second finds the lock, or the run when it has ended.
    assert!(codes == [0, 2] || codes == [0, 0], "{codes:?}");
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.landed().len(), 2);
    assert_eq!(site.work_of("one"), [1, 1, 1]);
}

#[test]
fn a_run_waits_for_a_worker_that_has_its_slots_full_with_another() {
    let Some(mut site) = Site::new(1, &["one"]) else {
        return;
    };
    site.unit("other", 1);
    site.commit("Another unit");
    site.worker("one").kill();
    site.slots = 1;
    site.start_worker("one");
    site.hold("work");
    let mut run = site.run_by_engine();
    site.wait_until("work", "one", 0);
    let url = site.url();
    let mut other = site.run("other", &["--engine", &url]);
    let runs = site.folder().join("home/project/.ralph-review/runs");
    wait_for("the other run", || {
        (std::fs::read_dir(&runs).unwrap().count() == 2).then_some(())
    });
    thread::sleep(3 * HEARTBEAT);
    site.release("work");
    run.exits(0);
    other.exits(0);
    assert_eq!(site.landed().len(), 4);
    assert_eq!(site.work_of("one"), [2, 2, 2]);
}

#[test]
fn a_step_that_waits_by_the_order_of_a_killed_driver_is_ordered_again() {
    let Some(mut site) = Site::new(1, &["one"]) else {
        return;
    };
    // The order waits, since the worker is frozen, when its driver is killed.
    site.worker("one").signal(Signal::STOP);
    let mut run = site.run_by_engine();
    wait_for("a relay", || {
        (!site.read("control/relays").is_empty()).then_some(())
    });
    thread::sleep(Duration::from_secs(1));
    run.kill();
    let spec = "# Demo\n\n## Goal\n\nFiles with numbers, one each.\n";
    site.write("home/project/specs/DEMO.md", spec);
    site.worker("one").signal(Signal::CONT);
    site.ralph(&["resume"]).exits(0);
    let warning = "host one: it was stopped there; the step is";
    assert_eq!(site.log("home").matches(warning).count(), 1);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.work_of("one"), [1, 1, 1]);
}

#[test]
fn a_worker_that_is_to_end_carries_out_what_it_has() {
    let Some(mut site) = Site::new(1, &["one", "two"]) else {
        return;
    };
    site.hold("work");
    let mut run = site.run_by_engine();
    site.wait_until("work", "two", 0);
    site.worker("two").signal(Signal::TERM);
    thread::sleep(Duration::from_secs(1));
    site.release("work");
    site.worker("two").exits(0);
    run.exits(0);
    assert_eq!(site.states(), ["landed"]);
    assert_eq!(site.work_of("two")[1], 1);
    // What it cannot take any more is carried out by the other one.
    assert_eq!(site.landed().len(), 2);
}
