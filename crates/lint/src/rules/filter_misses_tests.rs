//! B4.

use review_types::plural;

use crate::facts::Facts;
use crate::rule::rule;
use crate::select::listed;
use crate::sink::Sink;

rule! {
    /// Finds a test filter that leaves out some of the tests that the task lists.
    ///
    /// ## What it does
    /// Applies the filters of the command to the tests of the Must Pass table, like
    /// `filter-selects-nothing`, and reports the tests that no filter selects.
    ///
    /// ## Why is this bad
    /// The tests that are left out may fail or not exist, and the task still counts as
    /// done.
    ///
    /// ## Example
    /// `go test ./review/... -run Criteria`, where the table also lists
    /// `TestIsPassing_AllPass`.
    ///
    /// ## Fix
    /// Extend the filter: `-run 'Criteria|TestIsPassing'`.
    FilterMissesTests {
        code: "B4",
        name: "filter-misses-tests",
        criterion: Testability,
        severity: Warning,
        summary: "The test filter of a command leaves out some of the listed tests.",
    }
}

impl FilterMissesTests {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for task in &facts.tasks {
            let Some(found) = task.selection(facts) else {
                continue;
            };
            sink.look_at(found.filter_count);
            if found.missed.is_empty() || found.selected == 0 {
                continue;
            }
            let Some((filter, span)) = found.first_filter(task) else {
                continue;
            };
            let message = format!(
                "The filter `{filter}` leaves out {} of the {}: {}.",
                found.missed.len(),
                plural(found.tests.len(), "listed test", "listed tests"),
                listed(&found.missed)
            );
            let suggestion = found.suggestion(&filter);
            sink.push(task.document, span, message, suggestion);
        }
    }
}
