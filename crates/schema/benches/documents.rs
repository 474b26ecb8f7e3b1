//! What checking actionable-feedback documents costs beside reading them as
//! `serde_json` values: `cargo bench -p review-schema --bench documents`.
//! `oracle/` holds the same documents against a validator of JSON Schema.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench takes the time and prints it"
)]

#[path = "../tests/support/documents.rs"]
#[expect(dead_code, reason = "a bench needs sound documents alone")]
mod documents;

use std::hint::black_box;
use std::time::{Duration, Instant};

use review_schema::actionable::{Mode, validate};

const DOCUMENTS: u64 = 2_000;
const RUNS: usize = 25;

/// The documents that are timed together: few, so that some of the runs are
/// left in peace.
const BATCH: usize = 50;

/// The sum over the batches of the least time that one took.
fn least(texts: &[String], check: impl Fn(&str)) -> Duration {
    let time = |batch: &[String]| {
        let start = Instant::now();
        batch.iter().for_each(|text| check(black_box(text)));
        start.elapsed()
    };
    let least = |batch| (0..RUNS).map(|_| time(batch)).min().unwrap_or_default();
    texts.chunks(BATCH).map(least).sum()
}

fn main() {
    let texts: Vec<String> = (0..DOCUMENTS)
        .map(|seed| documents::sound(&mut documents::Numbers::new(seed)).to_string())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let ours = least(&texts, |text| {
        assert!(black_box(validate(text, Mode::Default)).is_empty());
    });
    let theirs = least(&texts, |text| {
        assert!(black_box(serde_json::from_str::<serde_json::Value>(text)).is_ok());
    });
    let rate =
        |time: Duration| f64::from(u32::try_from(DOCUMENTS).unwrap_or(0)) / time.as_secs_f64();
    println!(
        "documents of {} bytes: checked {:.0}/s, read as values {:.0}/s, ratio {:.2} (at most 1.2)",
        bytes / texts.len(),
        rate(ours),
        rate(theirs),
        ours.as_secs_f64() / theirs.as_secs_f64(),
    );
}
