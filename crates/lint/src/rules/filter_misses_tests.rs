//! B4.

use review_types::plural;

use crate::copies::in_checks;
use crate::facts::Facts;
use crate::rule::rule;
use crate::select::{Proposal, listed};
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
        fixes: [Unsafe],
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
            let Some(proposal) = Proposal::new(task, found, true) else {
                continue;
            };
            let message = format!(
                "The filter `{}` leaves out {} of the {}: {}.",
                proposal.written,
                found.missed.len(),
                plural(found.tests.len(), "listed test", "listed tests"),
                listed(&found.missed)
            );
            sink.push(task.document, proposal.span, message, proposal.suggestion)
                .fix(proposal.fix.and_then(|fix| in_checks(facts, task, fix)));
        }
    }
}
