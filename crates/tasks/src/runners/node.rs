//! `jest`, `vitest` and `mocha`.

use std::sync::Arc;

use review_document::command::Reporter;

use super::listed::{Ended, Kind, Listed, SeenTests};
use super::number::{add, counted, sum};
use super::title::{Suites, indent, marked, without_notes};
use super::{Naming, Runner, TestCount};

const RAN: [&str; 3] = ["passed", "failed", "expected fail"];
const DID_NOT_RUN: [&str; 5] = ["skipped", "todo", "total", "pending", "obsolete"];

/// The output of jest and vitest: the tests of a file that are listed one by one,
/// and the line `Tests`.
pub(super) struct JestOrVitest {
    tests: Option<u64>,
    /// The number of tests that passed.
    passed: u64,
    seen: SeenTests,
    is_vitest: bool,
    /// Whether the lines belong to a file of jest.
    in_file: bool,
    suites: Suites,
}

impl JestOrVitest {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            tests: None,
            passed: 0,
            seen: SeenTests::new(listed, Kind::Title),
            is_vitest: false,
            in_file: false,
            suites: Suites::default(),
        }
    }

    fn test(&mut self, line: &str) {
        if self.seen.is_idle() {
            return;
        }
        let (indent, text) = (indent(line), line.trim_start());
        if text.starts_with("PASS ") || text.starts_with("FAIL ") {
            self.in_file = true;
            self.suites.clear();
            return;
        }
        match marked(text) {
            Some((ended, title)) if self.in_file => {
                let title = match ended {
                    Ended::Skipped => without_word(title),
                    Ended::Passed | Ended::Failed => title,
                };
                self.suites.ended(indent, title, ended, &mut self.seen);
            }
            Some((ended, title)) => {
                let title = without_notes(title);
                if let Some((file, test)) = title.split_once(" > ") {
                    let parts = file.split('/').chain(test.split(" > "));
                    self.seen.ended(|| title.to_owned(), parts, ended);
                }
            }
            None if self.in_file && indent > 0 => self.suites.open(indent, text),
            _ => {}
        }
    }
}

impl Runner for JestOrVitest {
    fn line(&mut self, line: &str) {
        let text = line.trim_start();
        let counts = if let Some(rest) = text.strip_prefix("Tests:") {
            jest(rest)
        } else if let Some(rest) = text.strip_prefix("Tests ") {
            let counts = vitest(rest);
            self.is_vitest |= counts.is_some();
            counts
        } else {
            let found_none = ["No tests found, exiting", "No test files found, exiting"];
            found_none
                .iter()
                .any(|none| text.starts_with(none))
                .then_some(Counts { ran: 0, passed: 0 })
        };
        match counts {
            Some(counts) => {
                add(&mut self.tests, counts.ran);
                self.passed = self.passed.saturating_add(counts.passed);
                self.in_file = false;
            }
            None => self.test(line),
        }
    }

    fn spoken(&self) -> TestCount {
        self.tests.map_or(TestCount::Silent, TestCount::Ran)
    }

    fn named(&self) -> u64 {
        self.seen.ended
    }

    fn reporter(&self) -> Reporter {
        match self.is_vitest {
            true => Reporter::Vitest,
            false => Reporter::Jest,
        }
    }

    fn naming(&self) -> Naming<'_> {
        Naming::of(self.tests.map(|_| self.passed), &self.seen)
    }
}

/// Returns the title of a test that jest shows as `○ skipped title` or `✎ todo title`.
fn without_word(title: &str) -> &str {
    let words = ["skipped ", "todo "];
    let title_after = words.iter().find_map(|word| title.strip_prefix(word));
    title_after.unwrap_or(title)
}

struct Counts {
    ran: u64,
    passed: u64,
}

impl Counts {
    fn of<'a>(parts: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let ran = sum(parts.clone(), &RAN, &DID_NOT_RUN)?;
        let passed = parts
            .filter_map(counted)
            .filter(|(_, noun)| *noun == "passed");
        let passed = passed.map(|(count, _)| count).fold(0, u64::saturating_add);
        Some(Self { ran, passed })
    }
}

/// Parses `       1 failed, 2 passed, 3 total`.
fn jest(rest: &str) -> Option<Counts> {
    rest.ends_with(" total")
        .then(|| Counts::of(rest.split(',')))?
}

/// Parses ` 1 failed | 2 passed (3)` and ` no tests`.
fn vitest(rest: &str) -> Option<Counts> {
    let rest = rest.trim_start();
    if rest == "no tests" {
        return Some(Counts { ran: 0, passed: 0 });
    }
    let (counts, all) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    all.parse::<u64>().ok()?;
    Counts::of(counts.split('|'))
}

/// The output of mocha: its tests below their suites, and the last lines,
/// `2 passing (10ms)` and `1 failing`.
pub(super) struct Mocha {
    tests: Option<u64>,
    /// The number of tests that passed.
    passed: u64,
    seen: SeenTests,
    suites: Suites,
}

impl Mocha {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            tests: None,
            passed: 0,
            seen: SeenTests::new(listed, Kind::Title),
            suites: Suites::default(),
        }
    }

    fn test(&mut self, line: &str) {
        if self.seen.is_idle() {
            return;
        }
        let (indent, text) = (indent(line), line.trim_start());
        let test = marked(text).or_else(|| {
            if let Some(title) = text.strip_prefix("- ") {
                return Some((Ended::Skipped, title));
            }
            let (number, title) = text.split_once(") ")?;
            number.parse::<u64>().ok()?;
            Some((Ended::Failed, title))
        });
        match test {
            Some((ended, title)) => self.suites.ended(indent, title, ended, &mut self.seen),
            None if indent > 0 => self.suites.open(indent, text),
            None => {}
        }
    }
}

impl Runner for Mocha {
    fn line(&mut self, line: &str) {
        let Some((tests, noun)) = counted(line) else {
            return self.test(line);
        };
        let passing = noun
            .strip_prefix("passing (")
            .is_some_and(|time| time.ends_with(')'));
        if passing {
            self.passed = self.passed.saturating_add(tests);
            self.suites.clear();
        }
        if passing || noun == "failing" && self.tests.is_some() {
            add(&mut self.tests, tests);
        } else {
            self.test(line);
        }
    }

    fn spoken(&self) -> TestCount {
        self.tests.map_or(TestCount::Silent, TestCount::Ran)
    }

    fn named(&self) -> u64 {
        self.seen.ended
    }

    fn reporter(&self) -> Reporter {
        Reporter::Mocha
    }

    fn naming(&self) -> Naming<'_> {
        Naming::of(self.tests.map(|_| self.passed), &self.seen)
    }
}
