//! `go test`, as text and with `-json`.
//!
//! Without `-v` it names packages and counts nothing: such a package ran
//! tests, and nobody knows how many. Only `[no tests to run]` and
//! `[no test files]` say that a package ran none. A test is a function; its
//! subtests are part of it.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Runner, Spoken};

/// The lines of `go test`.
#[derive(Default)]
pub(super) struct Go {
    tests: u64,
    spoke: bool,
    uncounted: bool,
    package: Package,
}

/// What was printed since the last line that ends a package.
#[derive(Default)]
struct Package {
    /// Tests that passed or failed.
    tests: u64,
    /// Whether every test is listed.
    verbose: bool,
    /// Whether it says that it has none.
    none: bool,
}

/// One line of `go test -json`, as far as it counts.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
    #[serde(borrow, rename = "Package")]
    _package: Cow<'a, str>,
    #[serde(borrow)]
    test: Option<Cow<'a, str>>,
}

impl Runner for Go {
    fn line(&mut self, line: &str) {
        if line.starts_with('{') {
            self.event(line);
        } else if line.starts_with("=== RUN ") {
            self.package.verbose = true;
        } else if line.starts_with("--- PASS: ") || line.starts_with("--- FAIL: ") {
            self.package.tests = self.package.tests.saturating_add(1);
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

    fn spoken(&self) -> Spoken {
        // A test binary that was started by hand names no package.
        let loose = &self.package;
        let spoke = self.spoke || loose.verbose || loose.none;
        if !spoke {
            Spoken::Silent
        } else if self.uncounted {
            Spoken::Uncounted
        } else {
            Spoken::Ran(self.tests.saturating_add(loose.tests))
        }
    }
}

impl Go {
    fn event(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else {
            return;
        };
        let ended = match &*event.action {
            "pass" | "fail" => true,
            "start" | "run" | "output" | "skip" | "pause" | "cont" | "bench" => false,
            _ => return,
        };
        self.spoke = true;
        let is_test = event.test.is_some_and(|test| !test.contains('/'));
        if ended && is_test {
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
