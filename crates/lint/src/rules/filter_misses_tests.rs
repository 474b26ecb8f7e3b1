//! B4.

use review_document::command::Filter;
use review_types::plural;

use crate::facts::{Facts, ListedTest, Step};
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::select::{Selection, widened};
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a test filter that leaves out some of the tests that the task
    /// lists.
    ///
    /// ## What it does
    /// Applies the filters of the command to the tests of the Must Pass table,
    /// as `filter-selects-nothing` does, and names those that none selects.
    ///
    /// ## Why is this bad
    /// The tests that are left out may fail, or not exist, and the task still
    /// counts as done.
    ///
    /// ## Example
    /// `go test ./review/... -run Criteria`, where the table also lists
    /// `TestIsPassing_AllPass`.
    ///
    /// ## Fix
    /// Widen the filter: `-run 'Criteria|TestIsPassing'`.
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
            let Some(found) = Selection::of(task, facts) else {
                continue;
            };
            sink.look_at(found.filters.len());
            if found.missed.is_empty() || found.selected == 0 {
                continue;
            }
            let (step, runner, filter) = found.filters[0];
            let written = excerpt(filter.span.slice(step.text).unwrap_or_default(), 80);
            let message = format!(
                "The filter `{written}` leaves out {} of the {}: {}.",
                found.missed.len(),
                plural(found.tests.len(), "listed test", "listed tests"),
                listed(&found.missed)
            );
            let one = found.filters.len() == 1;
            let quote = if step.quote == Some('\'') { '"' } else { '\'' };
            let new = one
                .then(|| widened(runner, filter, &found.tests, true, quote))
                .flatten();
            let suggestion = match &new {
                Some(new) => format!("Replace `{written}` by `{new}`."),
                None => format!(
                    "Widen `{written}` so that it also selects {}.",
                    listed(&found.missed)
                ),
            };
            sink.push(task.document, step.locate(filter.span), message, suggestion)
                .fix(replacement(step, filter, new));
        }
    }
}

/// The names of some tests, the first few of them.
pub(super) fn listed(tests: &[ListedTest<'_>]) -> String {
    const SHOWN: usize = 5;
    let names: Vec<_> = tests
        .iter()
        .take(SHOWN)
        .map(|test| format!("`{}`", excerpt(test.name, 80)))
        .collect();
    let more = tests.len().saturating_sub(SHOWN);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", names.join(", "))
}

/// Puts a filter in the place of another.
pub(super) fn replacement(step: &Step<'_>, filter: &Filter, new: Option<String>) -> Option<Fix> {
    let span = step.exact(filter.span)?;
    new.map(|text| Fix::one(Safety::Unsafe, span, text))
}
