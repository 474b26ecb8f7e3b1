//! B3.

use crate::facts::{Facts, ListedTest};
use crate::rule::rule;
use crate::select::listed;
use crate::sink::Sink;

rule! {
    /// Finds a test filter that selects none of the tests that the task lists.
    ///
    /// ## What it does
    /// Parses the filter of the command like its runner (`go test -run` as a regular
    /// expression, `cargo test` as a part of `module::test`, `pytest -k` as an
    /// expression, `vitest -t` as an expression over titles) and applies it to the
    /// tests of the Must Pass table. If modules, files or suites around the tests may
    /// match, nothing is reported.
    ///
    /// ## Why is this bad
    /// Runners treat a run without tests as a success. The task counts as done although
    /// none of its tests was run.
    ///
    /// ## Example
    /// `go test ./review/... -run Schema`, where the table lists
    /// `TestParse_Valid` and `TestExtract_NoJSON`.
    ///
    /// ## Fix
    /// Use what the tests have in common: `go test ./review/... -run
    /// 'TestParse|TestExtract'`.
    FilterSelectsNothing {
        code: "B3",
        name: "filter-selects-nothing",
        criterion: Testability,
        severity: Error,
        summary: "The test filter of a command selects none of the listed tests.",
    }
}

impl FilterSelectsNothing {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in &facts.tasks {
            let Some(found) = task.selection(facts) else {
                continue;
            };
            sink.look_at(found.filter_count);
            if found.missed.len() < found.tests.len() {
                continue;
            }
            let Some((filter, span)) = found.first_filter(task) else {
                continue;
            };
            let message = message(&filter, &found.tests);
            let suggestion = found.suggestion(&filter);
            sink.push(task.document, span, message, suggestion);
        }
    }
}

fn message(filter: &str, tests: &[ListedTest<'_>]) -> String {
    let names = listed(tests);
    match tests.len() {
        1 => format!("The filter `{filter}` does not select the listed test {names}."),
        count => {
            format!("The filter `{filter}` selects none of the {count} listed tests: {names}.")
        }
    }
}
