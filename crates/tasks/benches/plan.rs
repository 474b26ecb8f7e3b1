//! What it costs to plan the tasks of a unit from the contents of its files:
//! `cargo bench -p review-tasks --bench plan`. CPU is user and system time of this
//! process; the smallest of some runs counts.

#![allow(clippy::expect_used, reason = "a bench that cannot run has no figures")]

use review_tasks::TaskPlan;
use review_test_support::measure::{least_of_calls, milliseconds, report, report_ratio};

const RUNS: usize = 5;

fn main() {
    let (few, many) = (files(10_000), files(100_000));
    let [few, many] = least_of_calls(RUNS, [&mut || plan(&few), &mut || plan(&many)]);
    report("plan of 100,000 tasks", milliseconds(many), 1_000.0, "ms");
    report_ratio("100,000 tasks / 10 x 10,000 tasks", many, few * 10, 1.5);
}

fn plan(files: &[(String, String)]) {
    let unit = "big".parse().expect("an id");
    let plan = TaskPlan::load(unit, "tasks/big", files);
    assert_eq!((plan.tasks().len(), plan.faults().len()), (files.len(), 0));
}

/// Tasks of which each second one waits for the previous one.
fn files(count: u32) -> Vec<(String, String)> {
    let files = (1..=count).map(|number| {
        let before = match number % 2 {
            0 => format!("[{}]", number - 1),
            _ => "[]".to_owned(),
        };
        let text = format!(
            "---\ntask: {number}\nstatus: pending\ndepends_on: {before}\nbackpressure: \"true\"\n\
             ---\n\n# Task {number}\n\n## Must Pass\n\n| Test | Asserts |\n|------|---------|\n\
             | `part_{number}` | it works |\n"
        );
        (format!("tasks/big/{number:06}-task.md"), text)
    });
    files.collect()
}
