//! `pytest` and `unittest`.

use std::sync::Arc;

use review_document::command::Reporter;

use super::listed::{Ended, Kind, Listed, SeenTests};
use super::number::{add, after_tests, counted, sum};
use super::{Naming, Runner, TestCount};

const RAN: [&str; 4] = ["passed", "failed", "xfailed", "xpassed"];
const DID_NOT_RUN: [&str; 11] = [
    "skipped",
    "deselected",
    "error",
    "errors",
    "warning",
    "warnings",
    "rerun",
    "reruns",
    "subtests passed",
    "subtests failed",
    "subtests skipped",
];

/// The output of pytest: tests with `-v` or in the short summary of `-rpX`, and
/// the last line, such as `=== 1 failed, 2 passed in 0.12s ===`.
pub(super) struct Pytest {
    tests: Option<u64>,
    seen: SeenTests,
    /// The number of passed tests by their own lines since the last summary.
    verbose: u64,
    /// The number of passed tests by the short summary since the last one.
    short: u64,
    /// Whether a summary counts more tests than were named.
    unnamed: bool,
}

impl Pytest {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            tests: None,
            seen: SeenTests::new(listed, Kind::Parametrized),
            verbose: 0,
            short: 0,
            unnamed: false,
        }
    }

    fn test(&mut self, line: &str) {
        let (id, ended, count) = if let Some((id, ended)) = short(line) {
            (id, ended, &mut self.short)
        } else if let Some((id, ended)) = verbose(line) {
            (id, ended, &mut self.verbose)
        } else {
            return;
        };
        if ended == Ended::Passed {
            *count = count.saturating_add(1);
        }
        let (file, test) = id.split_once("::").unwrap_or_default();
        let names = test.find('[').unwrap_or(test.len());
        let last = test[..names].rfind("::").map_or(0, |at| at + 2);
        let classes = test[..last].split("::");
        let file = file.strip_suffix(".py").unwrap_or(file);
        let parts = file.split('/').chain(classes).chain([&test[last..]]);
        self.seen.ended(|| id.to_owned(), parts, ended);
    }
}

impl Runner for Pytest {
    fn line(&mut self, line: &str) {
        if let Some(tests) = pytest(line, &RAN) {
            add(&mut self.tests, tests);
            let passed = pytest(line, &["passed", "xpassed"]).unwrap_or_default();
            self.unnamed |= passed != self.verbose && passed != self.short;
            (self.verbose, self.short) = (0, 0);
        } else if line.contains("::") {
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
        Reporter::Pytest
    }

    fn naming(&self) -> Naming<'_> {
        match (self.tests, self.unnamed) {
            (None, _) => Naming::Silent,
            (Some(_), true) => Naming::Some(&self.seen),
            (Some(_), false) => Naming::All(&self.seen),
        }
    }
}

/// Parses `PASSED tests/test_a.py::test_b` and `FAILED … - AssertionError: …`.
fn short(line: &str) -> Option<(&str, Ended)> {
    let (word, rest) = line.split_once(' ')?;
    let ended = result(word)?;
    let id = match word {
        "PASSED" => rest,
        _ => without_message(rest),
    };
    id.contains("::").then_some((id, ended))
}

/// Returns the name before a message; parameters may have ` - ` too.
fn without_message(rest: &str) -> &str {
    let (id, _) = rest.split_once(" - ").unwrap_or((rest, ""));
    match rest.find("] - ") {
        Some(end) if id.contains('[') && !id.ends_with(']') => &rest[..=end],
        None if id.contains('[') && rest.ends_with(']') => rest,
        _ => id,
    }
}

/// Parses `tests/test_a.py::test_b PASSED   [ 50%]`, and the line of a worker:
/// `[gw0] [ 50%] PASSED tests/test_a.py::test_b`.
fn verbose(line: &str) -> Option<(&str, Ended)> {
    if line.starts_with("[gw") {
        let (_, rest) = line.split_once("%] ")?;
        return short(rest);
    }
    let line = match line.rsplit_once('[') {
        Some((before, percent)) if percent.ends_with("%]") => before.trim_end(),
        _ => line,
    };
    // The reason of a skipped test may go on in the next lines.
    let before = line.rsplit_once(" (").map_or(line, |(before, _)| before);
    let (id, word) = [before, line].into_iter().find_map(|text| {
        text.rsplit_once(' ')
            .filter(|(_, word)| result(word).is_some())
    })?;
    Some((id.trim_end(), result(word)?)).filter(|(id, _)| id.contains("::"))
}

fn result(word: &str) -> Option<Ended> {
    Some(match word {
        "PASSED" | "XPASS" => Ended::Passed,
        "FAILED" | "ERROR" | "XFAIL" => Ended::Failed,
        "SKIPPED" => Ended::Skipped,
        _ => return None,
    })
}

/// Parses a last line: the number of `counted` tests that ran.
fn pytest(line: &str, counted: &[&str]) -> Option<u64> {
    let line = line.trim_matches(['=', ' ']);
    let first = line.bytes().next()?;
    if !first.is_ascii_digit() && first != b'n' {
        return None;
    }
    let (counts, time) = line.rsplit_once(" in ")?;
    let (seconds, unit) = time.split_at(time.find(['s', ' '])?);
    seconds.parse::<f64>().ok()?;
    // A long run adds its time in hours: `61.20s (0:01:01)`.
    let unit = unit.trim_start();
    if unit.split(' ').next() != Some("s") && unit != "seconds" {
        return None;
    }
    let nothing = |part: &str| {
        matches!(part, "no tests ran" | "no tests collected")
            || part.ends_with(" tests collected")
            || part.ends_with(" test collected")
            || part.ends_with(" deselected)")
    };
    let parts = counts.split(", ").filter(|part| !nothing(part));
    let parts: Vec<_> = parts.collect();
    sum(parts.iter().copied(), &RAN, &DID_NOT_RUN)?;
    let other: Vec<_> = RAN.iter().chain(&DID_NOT_RUN).copied().collect();
    sum(parts, counted, &other)
}

/// The last lines of Python's own unittest: `Ran 3 tests in 0.001s`, which counts skipped
/// ones as well, and `OK (skipped=1)`.
#[derive(Default)]
pub(super) struct Unittest {
    tests: Option<u64>,
}

impl Runner for Unittest {
    fn line(&mut self, line: &str) {
        let ran = line.strip_prefix("Ran ").and_then(counted);
        let tests = ran.filter(|(_, noun)| {
            after_tests(noun).is_some_and(|rest| rest.starts_with(" in ") && rest.ends_with('s'))
        });
        if let Some((tests, _)) = tests {
            add(&mut self.tests, tests);
        } else if let (Some(tests), Some(skipped)) = (&mut self.tests, skipped(line)) {
            *tests = tests.saturating_sub(skipped);
        }
    }

    fn spoken(&self) -> TestCount {
        self.tests.map_or(TestCount::Silent, TestCount::Ran)
    }

    fn reporter(&self) -> Reporter {
        Reporter::Unittest
    }
}

/// Parses `OK (skipped=1)` and `FAILED (failures=1, skipped=2)`.
fn skipped(line: &str) -> Option<u64> {
    let results = line
        .strip_prefix("OK (")
        .or(line.strip_prefix("FAILED ("))?;
    let mut results = results.strip_suffix(')')?.split(", ");
    results.find_map(|result| result.strip_prefix("skipped=")?.parse().ok())
}
