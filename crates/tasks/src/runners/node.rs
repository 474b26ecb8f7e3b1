//! `jest`, `vitest` and `mocha`.

use super::number::{add, counted, sum};
use super::{Runner, Spoken};

const RAN: [&str; 3] = ["passed", "failed", "expected fail"];
const DID_NOT_RUN: [&str; 5] = ["skipped", "todo", "total", "pending", "obsolete"];

/// The line `Tests` of jest and vitest.
#[derive(Default)]
pub(super) struct JestOrVitest {
    tests: Option<u64>,
}

impl Runner for JestOrVitest {
    fn line(&mut self, line: &str) {
        let line = line.trim_start();
        let tests = if let Some(rest) = line.strip_prefix("Tests:") {
            jest(rest)
        } else if let Some(rest) = line.strip_prefix("Tests ") {
            vitest(rest)
        } else {
            let found_none = ["No tests found, exiting", "No test files found, exiting"];
            found_none
                .iter()
                .any(|text| line.starts_with(text))
                .then_some(0)
        };
        if let Some(tests) = tests {
            add(&mut self.tests, tests);
        }
    }

    fn spoken(&self) -> Spoken {
        self.tests.map_or(Spoken::Silent, Spoken::Ran)
    }
}

/// Reads `       1 failed, 2 passed, 3 total`.
fn jest(rest: &str) -> Option<u64> {
    rest.ends_with(" total")
        .then(|| sum(rest.split(','), &RAN, &DID_NOT_RUN))?
}

/// Reads ` 1 failed | 2 passed (3)` and ` no tests`.
fn vitest(rest: &str) -> Option<u64> {
    let rest = rest.trim_start();
    if rest == "no tests" {
        return Some(0);
    }
    let (counts, all) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    all.parse::<u64>().ok()?;
    sum(counts.split('|'), &RAN, &DID_NOT_RUN)
}

/// The last lines of mocha: `2 passing (10ms)`, and `1 failing` behind it.
#[derive(Default)]
pub(super) struct Mocha {
    tests: Option<u64>,
}

impl Runner for Mocha {
    fn line(&mut self, line: &str) {
        let Some((tests, noun)) = counted(line) else {
            return;
        };
        let passing = noun
            .strip_prefix("passing (")
            .is_some_and(|time| time.ends_with(')'));
        if passing || noun == "failing" && self.tests.is_some() {
            add(&mut self.tests, tests);
        }
    }

    fn spoken(&self) -> Spoken {
        self.tests.map_or(Spoken::Silent, Spoken::Ran)
    }
}
