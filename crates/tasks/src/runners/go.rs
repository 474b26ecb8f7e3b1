//! `go test`, as text and with `-json`.
//!
//! Without `-v` it names packages and counts nothing: such a package ran an
//! unknown number of tests. Only `[no tests to run]` and
//! `[no test files]` say that a package ran none. A test is a function; its
//! subtests are part of it.

use std::borrow::Cow;
use std::sync::Arc;

use review_document::command::Reporter;
use serde::Deserialize;

use super::listed::{Ended, Kind, Listed, Marks, SeenTests};
use super::{Naming, Runner, TestCount};

/// The lines of `go test`.
pub(super) struct Go {
    seen: SeenTests,
    tests: u64,
    spoke: bool,
    uncounted: bool,
    package: Package,
}

/// The output since the last line that ends a package.
#[derive(Default)]
struct Package {
    /// Tests that passed or failed.
    tests: u64,
    /// Whether every test is listed.
    verbose: bool,
    /// Whether it reports that it has none.
    none: bool,
}

/// One line of `go test -json`, with the relevant fields.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow)]
    package: Cow<'a, str>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
}

impl Runner for Go {
    fn line(&mut self, line: &str) {
        if line.starts_with('{') {
            self.event(line);
        } else if let Some(name) = line.strip_prefix("=== RUN ") {
            self.package.verbose = true;
            self.seen.mark(name.trim_start().split('/'), Marks::BEGUN);
        } else if let Some((name, ended)) = result(line) {
            self.seen.ended(|| name.to_owned(), name.split('/'), ended);
            if line.starts_with('-') && ended != Ended::Skipped {
                self.package.tests = self.package.tests.saturating_add(1);
            }
        } else if line == "testing: warning: no tests to run" {
            self.package.none = true;
        } else if line.starts_with("ok  \t") {
            self.package.none |= line.ends_with("[no tests to run]");
            self.end_package(true);
        } else if line.starts_with("?   \t") && line.ends_with("[no test files]") {
            self.end_package(false);
        } else if line.starts_with("FAIL\t") {
            self.end_package(!line.ends_with(" failed]"));
        }
    }

    fn spoken(&self) -> TestCount {
        // A test binary that was started directly names no package.
        let loose = &self.package;
        let spoke = self.spoke || loose.verbose || loose.none;
        if !spoke {
            TestCount::Silent
        } else if self.uncounted {
            TestCount::Uncounted
        } else {
            TestCount::Ran(self.tests.saturating_add(loose.tests))
        }
    }

    fn reporter(&self) -> Reporter {
        Reporter::GoTest
    }

    fn naming(&self) -> Naming<'_> {
        match self.spoken() {
            TestCount::Silent => Naming::Silent,
            TestCount::Uncounted => Naming::Some(&self.seen),
            TestCount::Ran(_) => Naming::All(&self.seen),
        }
    }
}

impl Go {
    pub(super) fn new(listed: &Arc<Listed>) -> Self {
        Self {
            seen: SeenTests::new(listed, Kind::Path),
            tests: 0,
            spoke: false,
            uncounted: false,
            package: Package::default(),
        }
    }

    fn event(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else {
            return;
        };
        let ended = match &*event.action {
            "pass" => Some(Ended::Passed),
            "fail" => Some(Ended::Failed),
            "skip" => Some(Ended::Skipped),
            "start" | "run" | "output" | "pause" | "cont" | "bench" => None,
            _ => return,
        };
        self.spoke = true;
        let (Some(ended), Some(test)) = (ended, event.test) else {
            return;
        };
        let name = || format!("{}.{test}", event.package);
        self.seen.ended(name, test.split('/'), ended);
        if ended != Ended::Skipped && !test.contains('/') {
            self.tests = self.tests.saturating_add(1);
        }
    }

    fn end_package(&mut self, built: bool) {
        let package = std::mem::take(&mut self.package);
        self.spoke = true;
        self.uncounted |= built && !package.verbose && !package.none;
        self.tests = self.tests.saturating_add(package.tests);
    }
}

/// Parses `--- PASS: TestStore/keeps (0.00s)`, indented for a subtest.
fn result(line: &str) -> Option<(&str, Ended)> {
    let (word, rest) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
    let ended = match word {
        "PASS" => Ended::Passed,
        "FAIL" => Ended::Failed,
        "SKIP" => Ended::Skipped,
        _ => return None,
    };
    let (name, _) = rest.rsplit_once(" (")?;
    Some((name, ended))
}
