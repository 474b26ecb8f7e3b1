//! `pytest` and `unittest`.

use super::number::{add, after_tests, counted, sum};
use super::{Runner, Spoken};

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

/// The last line of pytest, such as `=== 1 failed, 2 passed in 0.12s ===`.
#[derive(Default)]
pub(super) struct Pytest {
    tests: Option<u64>,
}

impl Runner for Pytest {
    fn line(&mut self, line: &str) {
        if let Some(tests) = pytest(line) {
            add(&mut self.tests, tests);
        }
    }

    fn spoken(&self) -> Spoken {
        self.tests.map_or(Spoken::Silent, Spoken::Ran)
    }
}

fn pytest(line: &str) -> Option<u64> {
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
    sum(parts, &RAN, &DID_NOT_RUN)
}

/// The last lines of Python's own unittest: `Ran 3 tests in 0.001s`.
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
        }
    }

    fn spoken(&self) -> Spoken {
        self.tests.map_or(Spoken::Silent, Spoken::Ran)
    }
}
