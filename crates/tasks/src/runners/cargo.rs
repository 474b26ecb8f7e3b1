//! `cargo test` and whatever speaks like it, and `cargo nextest run`.

use super::number::{add, after_tests, counted, sum};
use super::{Runner, Spoken};

/// The summaries of libtest and of nextest.
#[derive(Default)]
pub(super) struct Cargo {
    tests: Option<u64>,
    in_nextest: bool,
}

impl Runner for Cargo {
    fn line(&mut self, line: &str) {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("test result: ") {
            // nextest shows the output of the binaries that it runs.
            if let Some(tests) = libtest(rest).filter(|_| !self.in_nextest) {
                add(&mut self.tests, tests);
            }
        } else if line.starts_with("Starting ") && line.contains(" across ") {
            self.in_nextest = true;
        } else if let Some(tests) = line.strip_prefix("Summary [").and_then(nextest) {
            self.in_nextest = false;
            add(&mut self.tests, tests);
        }
    }

    fn spoken(&self) -> Spoken {
        self.tests.map_or(Spoken::Silent, Spoken::Ran)
    }
}

/// Reads `ok. 3 passed; 0 failed; 1 ignored; 0 measured; 5 filtered out; …`.
fn libtest(rest: &str) -> Option<u64> {
    let (_, counts) = rest.split_once(". ")?;
    let counts = counts.split(';').filter(|part| counted(part).is_some());
    let tests = ["passed", "failed", "measured"];
    sum(counts, &tests, &["ignored", "filtered out"])
}

/// Reads `   0.005s] 3/10 tests run: 2 passed, 1 failed, 5 skipped`.
fn nextest(rest: &str) -> Option<u64> {
    let (_, counts) = rest.split_once("] ")?;
    let (run, noun) = counts.trim_start().split_once(' ')?;
    after_tests(noun)?.strip_prefix(" run:")?;
    run.split('/').next()?.parse().ok()
}
