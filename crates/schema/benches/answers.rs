//! The cost of parsing an answer compared to `serde_json` and `llm_json`, as ratios of
//! the minimum of interleaved runs: `cargo bench -p review-schema`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a bench measures the time and prints it"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use review_schema::{Options, measure, parse_and_validate};
use review_types::Review;

/// The number of runs of each side, in turns.
const RUNS: usize = 25;

const SCORE: &str =
    r#""score": {"completeness": 40, "consistency": 55, "testability": 30, "architecture": 60}"#;

fn revision(items: usize) -> String {
    let mut list = String::new();
    for number in 0..items {
        let comma = if number == 0 { "" } else { ",\n" };
        let _infallible = write!(
            list,
            r#"{comma}    {{"section": "Section {number}", "issue": "The limit is named \"soon\" and nowhere given in milliseconds.", "suggestion": "Name a limit in milliseconds at the 99th percentile."}}"#,
        );
    }
    format!(
        "{{\n  \"verdict\": \"needs_revision\",\n  {SCORE},\n  \"feedback\": [\n{list}\n  ]\n}}"
    )
}

/// Returns the minimum time of one call, measured over `batch` calls at once.
fn least(times: &mut [Duration; 2], batch: u32, sides: [&dyn Fn(); 2]) {
    for _ in 0..RUNS {
        for (time, side) in times.iter_mut().zip(sides) {
            let start = Instant::now();
            for _ in 0..batch {
                side();
            }
            *time = (*time).min(start.elapsed() / batch);
        }
    }
}

fn compare(name: &str, bytes: usize, batch: u32, ours: &dyn Fn(), theirs: &dyn Fn(), bound: &str) {
    let mut times = [Duration::MAX; 2];
    least(&mut times, batch, [ours, theirs]);
    let [ours, theirs] = times;
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{name}: {bytes} bytes, {ours:?} against {theirs:?}, ratio {ratio:.2} ({bound})");
}

fn against_serde_json(name: &str, answer: &str, batch: u32, bound: &str) {
    let ours = || {
        black_box(parse_and_validate(black_box(answer)).is_ok());
    };
    let theirs = || {
        black_box(serde_json::from_slice::<Review>(black_box(answer.as_bytes())).is_ok());
    };
    assert!(parse_and_validate(answer).is_ok() && serde_json::from_str::<Review>(answer).is_ok());
    compare(name, answer.len(), batch, &ours, &theirs, bound);
}

fn against_llm_json(name: &str, answer: &str, batch: u32, bound: &str) {
    let options = llm_json::RepairOptions::default();
    let ours = || {
        black_box(parse_and_validate(black_box(answer)).is_ok());
    };
    let theirs = || {
        black_box(llm_json::loads(black_box(answer), &options).is_ok());
    };
    assert!(parse_and_validate(answer).is_ok());
    compare(name, answer.len(), batch, &ours, &theirs, bound);
}

fn hostile(piece: &str) {
    let answer = piece.repeat(10_000_000 / piece.len());
    let start = Instant::now();
    let work = measure(&answer, &Options::default()).work;
    let factor = work as f64 / answer.len() as f64;
    println!(
        "hostile {piece:?}: 10 MB, {:?}, work {factor:.2} n (at most 17)",
        start.elapsed()
    );
}

fn main() {
    against_serde_json("one valid object of 1 KB", &revision(5), 2_000, "at most 3");
    against_serde_json("a verdict of 4,700 items", &revision(4_700), 5, "at most 3");
    let prose = "The goals are clear, but {several} sections leave limits open. ".repeat(20);
    let answer = format!("{prose}\n\n```json\n{}\n```\n\n{prose}", revision(40));
    against_llm_json("prose, a fence and 40 items", &answer, 50, "at most 0.5");
    for piece in [
        "{",
        "{\"a\":",
        "{\"a\":1,",
        "{\"a\":\"",
        "{/*",
        "{a:[",
        "\"{",
        "{\\\"a\\\":",
        "{\"verdict\":\"pass\"}",
    ] {
        hostile(piece);
    }
}
