//! `cargo test` and compatible programs, and `cargo nextest run`.

use std::sync::Arc;

use review_document::command::Reporter;

use super::listed::{Ended, Kind, Listed, SeenTests};
use super::number::{add, after_tests, counted, sum};
use super::{Naming, Runner, TestCount};

/// The output of libtest and nextest.
pub(super) struct Cargo {
    tests: Option<u64>,
    /// The number of tests that passed.
    passed: u64,
    seen: SeenTests,
    in_nextest: bool,
    is_nextest: bool,
}

impl Cargo {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            tests: None,
            passed: 0,
            seen: SeenTests::new(listed, Kind::Path),
            in_nextest: false,
            is_nextest: false,
        }
    }

    fn summary(&mut self, summary: Summary) {
        add(&mut self.tests, summary.tests);
        self.passed = self.passed.saturating_add(summary.passed);
    }
}

impl Runner for Cargo {
    fn line(&mut self, line: &str) {
        let line = line.trim_start();
        // nextest shows the output of the binaries that it runs.
        if self.in_nextest {
            if let Some(summary) = line.strip_prefix("Summary [").and_then(nextest) {
                self.in_nextest = false;
                self.summary(summary);
            } else if let Some((name, ended)) = nextest_test(line) {
                self.seen
                    .ended(|| name.to_owned(), name.split([':', ' ']), ended);
            }
        } else if let Some(rest) = line.strip_prefix("test result: ") {
            if let Some(summary) = libtest(rest) {
                self.summary(summary);
            }
        } else if let Some((name, ended)) = line.strip_prefix("test ").and_then(libtest_test) {
            self.seen
                .ended(|| without_line(name), name.split("::"), ended);
        } else if line.starts_with("Starting ") && line.contains(" across ") {
            self.in_nextest = true;
            self.is_nextest = true;
        } else if let Some(summary) = line.strip_prefix("Summary [").and_then(nextest) {
            self.is_nextest = true;
            self.summary(summary);
        }
    }

    fn spoken(&self) -> TestCount {
        self.tests.map_or(TestCount::Silent, TestCount::Ran)
    }

    fn named(&self) -> u64 {
        self.seen.ended
    }

    fn reporter(&self) -> Reporter {
        match self.is_nextest {
            true => Reporter::CargoNextest,
            false => Reporter::CargoTest,
        }
    }

    fn naming(&self) -> Naming<'_> {
        Naming::of(self.tests.map(|_| self.passed), &self.seen)
    }
}

struct Summary {
    tests: u64,
    passed: u64,
}

/// Parses `ok. 3 passed; 0 failed; 1 ignored; 0 measured; 5 filtered out; …`.
fn libtest(rest: &str) -> Option<Summary> {
    let (_, counts) = rest.split_once(". ")?;
    let counts = || counts.split(';').filter(|part| counted(part).is_some());
    let other = ["failed", "measured", "ignored", "filtered out"];
    Some(Summary {
        tests: sum(counts(), &["passed", "failed", "measured"], &other)?,
        passed: sum(counts(), &["passed"], &other)?,
    })
}

/// Parses `store::keeps ... ok` and `store::fails - should panic ... ok`.
fn libtest_test(rest: &str) -> Option<(&str, Ended)> {
    // With `--nocapture` a test prints between its name and its result.
    let (name, result) = rest.split_once(" ... ")?;
    let ended = match result.split([' ', ',', ':']).next()? {
        "ok" => Ended::Passed,
        "FAILED" => Ended::Failed,
        "ignored" => Ended::Skipped,
        _ => return None,
    };
    let marks = [" - should panic", " - compile", " - compile fail"];
    let unmarked = marks.iter().find_map(|mark| name.strip_suffix(mark));
    Some((unmarked.unwrap_or(name), ended))
}

/// Returns the name of a test of documentation without the line that it starts in, which
/// other changes of the file move: `src/lib.rs - add (line 12)`.
fn without_line(name: &str) -> String {
    let lasting = name
        .rsplit_once(" (line ")
        .filter(|(_, line)| line.strip_suffix(')').is_some_and(is_number));
    lasting.map_or(name, |(lasting, _)| lasting).to_owned()
}

fn is_number(text: &str) -> bool {
    text.parse::<u64>().is_ok()
}

/// Parses `   0.005s] 3/10 tests run: 2 passed, 1 failed, 5 skipped`.
fn nextest(rest: &str) -> Option<Summary> {
    let (_, counts) = rest.split_once("] ")?;
    let (run, noun) = counts.trim_start().split_once(' ')?;
    let results = after_tests(noun)?.strip_prefix(" run:")?;
    let passed = results.split(',').filter_map(counted);
    let passed = passed.filter(|(_, noun)| noun.split(' ').next() == Some("passed"));
    Some(Summary {
        tests: run.split('/').next()?.parse().ok()?,
        passed: passed.map(|(count, _)| count).fold(0, u64::saturating_add),
    })
}

/// Parses `PASS [   0.004s] (1/4) demo::it store::keeps`.
fn nextest_test(line: &str) -> Option<(&str, Ended)> {
    let (status, rest) = line.split_once(" [")?;
    let ended = match status.rsplit(' ').next()? {
        "PASS" | "LEAK" => Ended::Passed,
        // A retried test has failed only if its last attempt has.
        "FAIL" if status.starts_with("TRY ") => return None,
        "FAIL" | "TIMEOUT" | "ABORT" | "SIGABRT" | "SIGSEGV" => Ended::Failed,
        "SKIP" => Ended::Skipped,
        _ => return None,
    };
    let (_, name) = rest.split_once("] ")?;
    let name = name.trim_start();
    let counted = name
        .strip_prefix('(')
        .and_then(|name| name.split_once(") "));
    Some((counted.map_or(name, |(_, name)| name), ended))
}
