//! Many units on two workers, while parts are killed again and again.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::support::{Process, Site, wait_for};

const TASKS: u32 = 10;

/// The steps that a worker carries out at a time.
const SLOTS: usize = 4;

/// How many units are run.
fn units() -> u32 {
    let units = std::env::var("RALPH_TEST_UNITS").ok();
    units.map_or(1, |units| units.parse().unwrap())
}

fn calls(site: &Site) -> usize {
    site.work_of("one")[1] + site.work_of("two")[1]
}

/// Runs a unit to its end; something is killed after each third call of an agent. Returns how
/// often a worker was.
fn run_killed(site: &mut Site, unit: &str, turns: &mut impl Iterator<Item = usize>) -> usize {
    let url = site.url();
    let mut run = site.run(unit, &["--engine", &url, "--jobs", "4"]);
    let mut workers = 0;
    loop {
        let until = calls(site) + 3;
        let ended = wait_for("another call", || match run.0.try_wait().unwrap() {
            None => (calls(site) >= until).then_some(None),
            status => Some(status),
        });
        if let Some(status) = ended {
            assert!(status.success(), "{unit}: {status}");
            return workers;
        }
        match turns.next().unwrap() {
            turn @ (0 | 1) => {
                let name = ["one", "two"][turn];
                site.worker(name).kill();
                site.start_worker(name);
                workers += 1;
            }
            2 => {
                site.kill_server();
                site.start_server();
            }
            _ => run = killed(site, run),
        }
    }
}

/// Kills a driver, and goes on with its run.
fn killed(site: &Site, mut run: Process) -> Process {
    run.kill();
    site.ralph(&["resume", "latest"])
}

#[test]
fn units_of_ten_tasks_lose_nothing_and_land_nothing_twice() {
    let units = units();
    let Some(mut site) = Site::new(0, &["one", "two"]) else {
        return;
    };
    let begun = Instant::now();
    let mut turns = [0, 2, 3, 1, 3, 2].into_iter().cycle();
    let mut workers = 0;
    for number in 1..=units {
        let unit = format!("unit-{number}");
        site.unit(&unit, TASKS);
        site.commit(&unit);
        workers += run_killed(&mut site, &unit, &mut turns);
        let states: BTreeSet<_> = site.states().into_iter().collect();
        assert_eq!(states, BTreeSet::from(["landed".to_owned()]));
        assert_eq!(site.states().len(), 10);
    }
    let tasks = usize::try_from(units * TASKS).unwrap();
    for number in 1..=units {
        for task in 1..=TASKS {
            let file = format!("HEAD:unit-{number}/{task}.txt");
            assert_eq!(site.git("home", &["show", &file]), format!("{task}\n"));
            let path = format!("unit-{number}/{task}.txt");
            let log = site.git("home", &["log", "--format=%s", "--", &path]);
            assert_eq!(log.lines().count(), 1, "{path}: {log}");
        }
    }
    let repeated = calls(&site) - tasks;
    assert!(
        repeated <= workers * SLOTS,
        "{repeated} calls, {workers} workers"
    );
    println!(
        "{units} units, {tasks} tasks in {:?}: {workers} workers killed, {repeated} calls repeated",
        begun.elapsed()
    );
}
