//! The cost of reading tasks, as ratios within one run.
//!
//! `cargo bench -p review-document` prints one line per figure with its limit.
//! CPU is user and system time of this process; each side of a comparison runs
//! in turn with the other, and the smallest of its runs counts.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench that cannot run has no figures"
)]

use review_document::{Graph, TaskFile};
use review_test_support::measure::{least_of_calls, report_ratio};

const RUNS: usize = 25;

fn main() {
    many_tasks_against_few();
}

fn many_tasks_against_few() {
    let texts = |count: u32| -> Vec<_> {
        (1..=count)
            .map(|number| (format!("t/{number}.md"), task(number, &before(number), 300)))
            .collect()
    };
    let (few, many) = (texts(10_000), texts(100_000));
    let run = |texts: &[(String, String)]| {
        let tasks: Vec<_> = texts
            .iter()
            .map(|(path, text)| TaskFile::parse(path.as_str(), text))
            .collect();
        assert_eq!(Graph::new(&tasks).runnable().unwrap().len(), texts.len());
    };
    let [few, many] = least_of_calls(RUNS, [&mut || run(&few), &mut || run(&many)]);
    report_ratio("100,000 tasks / 10 x 10,000 tasks", many, few * 10, 1.5);
}

fn before(number: u32) -> Vec<u32> {
    let mut before: Vec<_> = [number / 2, number.saturating_sub(1)].into();
    before.dedup();
    before.retain(|&other| other > 0 && other != number);
    before
}

fn task(number: u32, depends_on: &[u32], size: usize) -> String {
    let mut text = format!(
        "---\ntask: {number}\nstatus: complete\nbackpressure: \"cargo test -p shop orders_{number}\"\n\
         depends_on: {depends_on:?}\n---\n\n# Orders, part {number}\n\n**Parent spec**: `/specs/SHOP.md`\n\
         **Task**: #{number} of many in implementation plan\n\n## Objective\n\n"
    );
    let mut line = 0;
    while text.len() < size {
        line += 1;
        text += &match line % 12 {
            0 => format!("```rust\n# not a heading\nfn part_{line}() {{}}\n```\n\n"),
            6 => format!("| `orders_part_{line}` | Returns the order with all its lines |\n"),
            9 => format!("\n### Part {line}\n\n"),
            _ => format!("An order holds line {line}, its price, and the time of its change.\n"),
        };
    }
    text
}
