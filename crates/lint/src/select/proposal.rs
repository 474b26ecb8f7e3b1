//! Replacements for filters that leave out tests.

use review_document::Span;

use super::widen::widened;
use super::{PlacedFilter, Selection};
use crate::facts::{ListedTest, Task};
use crate::finding::{Fix, Safety};
use crate::sink::excerpt;

/// A filter and its replacement.
pub(crate) struct Proposal {
    /// The filter as written.
    pub(crate) written: String,
    /// Its span in the file.
    pub(crate) span: Span,
    /// The suggestion, in one sentence.
    pub(crate) suggestion: String,
    /// The replacement, if there is one.
    pub(crate) fix: Option<Fix>,
}

impl Proposal {
    /// Replaces the first filter of a task so that all listed tests run; with `keep`,
    /// the tests that it selects now stay selected.
    pub(crate) fn new(task: &Task<'_>, found: &Selection<'_>, keep: bool) -> Option<Self> {
        let PlacedFilter { step, run, filter } = found.first.of(task)?;
        let written = excerpt(filter.span.slice(step.text).unwrap_or_default(), 80);
        let quote = if step.quote == Some('\'') { '"' } else { '\'' };
        let is_alone = found.filter_count == 1;
        let new = is_alone
            .then(|| widened(run.runner, filter, &found.tests, keep, quote))
            .flatten();
        let suggestion = match &new {
            Some(new) => format!("Replace `{written}` with `{new}`."),
            None => format!(
                "Change `{written}` so that it selects {}.",
                listed(&found.missed)
            ),
        };
        let fix = new
            .zip(step.exact(filter.span))
            .map(|(new, span)| Fix::one(Safety::Unsafe, span, new));
        Some(Self {
            written,
            span: step.locate(filter.span),
            suggestion,
            fix,
        })
    }
}

/// The first few names of some tests.
pub(crate) fn listed(tests: &[ListedTest<'_>]) -> String {
    const SHOWN: usize = 5;
    let mut names = String::new();
    for test in tests.iter().take(SHOWN) {
        let gap = if names.is_empty() { "`" } else { ", `" };
        names.extend([gap, &excerpt(test.name, 80), "`"]);
    }
    match tests.len().saturating_sub(SHOWN) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
