//! `bun test`.

use review_document::command::Reporter;

use super::number::{add, after_tests, counted};
use super::{Runner, TestCount};

/// The last line of bun: `Ran 3 tests across 1 file. [12.00ms]`.
#[derive(Default)]
pub(super) struct Bun {
    tests: Option<u64>,
}

impl Runner for Bun {
    fn line(&mut self, line: &str) {
        let ran = line.strip_prefix("Ran ").and_then(counted);
        let tests = ran
            .filter(|(_, noun)| after_tests(noun).is_some_and(|rest| rest.starts_with(" across ")));
        if let Some((tests, _)) = tests {
            add(&mut self.tests, tests);
        }
    }

    fn spoken(&self) -> TestCount {
        self.tests.map_or(TestCount::Silent, TestCount::Ran)
    }

    fn reporter(&self) -> Reporter {
        Reporter::Bun
    }
}
