//! What checking lines of corrections costs beside reading them as `serde_json`
//! values: `cargo bench -p review-learning`. `oracle/` holds the same lines
//! against a validator of JSON Schema.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench takes the time and prints it"
)]

#[path = "../tests/support/lines.rs"]
#[expect(dead_code, reason = "a bench needs sound lines alone")]
mod lines;

use std::hint::black_box;
use std::time::{Duration, Instant};

use review_learning::corrections::{Mode, Validation};

const LINES: u32 = 10_000;
const RUNS: usize = 25;
/// The lines that are timed together: few, so that some of the runs are left in
/// peace.
const BATCH: usize = 100;

/// The sum over the batches of the least time that one took.
fn least(batches: &[String], check: impl Fn(&str)) -> Duration {
    let time = |batch: &String| {
        let start = Instant::now();
        check(black_box(batch));
        start.elapsed()
    };
    let least = |batch| (0..RUNS).map(|_| time(batch)).min().unwrap_or_default();
    batches.iter().map(least).sum()
}

fn main() {
    let lines: Vec<String> = (0..u64::from(LINES))
        .map(|seed| format!("{}\n", lines::sound(&mut lines::Numbers::new(seed))))
        .collect();
    let batches: Vec<String> = lines.chunks(BATCH).map(<[String]>::concat).collect();
    let bytes: usize = lines.iter().map(String::len).sum();
    let ours = least(&batches, |batch| {
        let validation = Validation::of(batch.as_bytes(), Mode::Default);
        assert!(validation.is_ok_and(|validation| validation.is_valid()));
    });
    let theirs = least(&batches, |batch| {
        for line in batch.lines() {
            assert!(black_box(serde_json::from_str::<serde_json::Value>(line)).is_ok());
        }
    });
    let rate = |time: Duration| f64::from(LINES) / time.as_secs_f64();
    println!(
        "lines of {} bytes: checked {:.0}/s, read as values {:.0}/s, ratio {:.2} (at most 0.6)",
        bytes / lines.len(),
        rate(ours),
        rate(theirs),
        ours.as_secs_f64() / theirs.as_secs_f64(),
    );
}
