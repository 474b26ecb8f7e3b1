//! The time that clustering feedback takes, and the agreement of the clusters with the
//! true topics: `cargo bench -p review-learning --bench cluster`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures time and prints it"
)]

#[path = "../tests/support/agreement.rs"]
mod agreement;
#[path = "../tests/support/lines.rs"]
#[expect(dead_code, reason = "only its numbers are needed")]
mod lines;
#[path = "../tests/support/topics.rs"]
#[expect(dead_code, reason = "the benchmark uses only the held-out topics")]
mod topics;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use review_learning::cluster::{FeedbackText, Forms, clusters};

use agreement::agreement;
use topics::{HELD_OUT, said, topics};

const RUNS: usize = 3;

/// A line of feedback and the number of its topic.
struct Line {
    topic: usize,
    text: FeedbackText,
}

fn lines_of(count: usize) -> Vec<Line> {
    let said = said(&topics(HELD_OUT), count, count as u64);
    let said = said.into_iter();
    said.map(|said| Line {
        topic: said.topic,
        text: FeedbackText {
            issue: said.issue.to_string(),
            correction: said.correction.to_string(),
        },
    })
    .collect()
}

/// The time to cluster all lines, the number of forms, and the agreement of
/// the clusters with the topics.
fn grouped(lines: &[Line]) -> (Duration, usize, f64) {
    let start = Instant::now();
    let mut forms = Forms::new();
    let of: Vec<_> = lines.iter().map(|line| forms.add(&line.text)).collect();
    let clusters = clusters(&forms, 3);
    let time = start.elapsed();
    let alone = clusters.sizes().len();
    let found = of.iter().zip(lines).enumerate().map(|(at, (form, line))| {
        let cluster = form.and_then(|form| clusters.of(form));
        (line.topic, cluster.map_or(alone + at, |it| it as usize))
    });
    let agreement = agreement(&found.collect::<Vec<_>>());
    let distinct: HashSet<_> = of.into_iter().flatten().collect();
    (time, distinct.len(), agreement)
}

/// The peak memory of this process in MiB, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

fn main() {
    let mut times = Vec::new();
    for count in [1_000, 10_000, 100_000] {
        let lines = lines_of(count);
        let before = peak_memory();
        let (mut least, mut forms, mut agreement) = (Duration::MAX, 0, 0.0);
        for _ in 0..RUNS {
            let (time, found, agrees) = grouped(&lines);
            (least, forms, agreement) = (least.min(time), found, agrees);
        }
        times.push(least);
        println!(
            "{count} entries, {forms} forms: {:.3} s, agreement {agreement:.3}; at most {:?} MiB, {before:?} of them for the input",
            least.as_secs_f64(),
            peak_memory(),
        );
    }
    println!(
        "100,000 entries cost {:.1} times what 10,000 cost (at most 15)",
        times[2].as_secs_f64() / times[1].as_secs_f64()
    );
}
