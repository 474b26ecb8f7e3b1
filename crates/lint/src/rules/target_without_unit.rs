//! R5.

use review_document::Span;

use crate::facts::{Facts, targets};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};
use crate::words::numbers;

rule! {
    /// Finds metric targets whose number has no unit.
    ///
    /// ## What it does
    /// Checks the cells in the column `Target` of tables that also have a column
    /// `Metric`, `Measure`, `KPI`, `SLO`, `SLI` or `Indicator`. A metric that names
    /// what is counted (`retries`, `number of`, `score`) implies the unit, and a ratio
    /// needs none.
    ///
    /// ## Why is this bad
    /// `200` may mean milliseconds or requests per second; a test of one passes where
    /// the other was intended.
    ///
    /// ## Example
    /// `| Start time | < 500 |`
    ///
    /// ## Fix
    /// Write the unit: `| Start time | < 500 ms |`.
    TargetWithoutUnit {
        code: "R5",
        name: "target-without-unit",
        criterion: Testability,
        severity: Info,
        summary: "The target of a metric has a number without a unit.",
    }
}

/// Words in metrics that are plain counts.
const COUNTS: [&str; 12] = [
    "count",
    "factor",
    "index",
    "level",
    "number",
    "parallelism",
    "rank",
    "rating",
    "ratio",
    "score",
    "size",
    "version",
];

impl TargetWithoutUnit {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for document in facts.markdown() {
            for target in targets(document) {
                let text = &target.cell.text;
                let mut found = numbers(text).peekable();
                let Some(&first) = found.peek() else { continue };
                sink.look_at(1);
                let has_unit = found.any(|number| is_measured(text, number));
                if has_unit || is_count(target.metric) || !target.cell.codes.is_empty() {
                    continue;
                }
                let number = first.slice(text).unwrap_or_default();
                let metric = excerpt(target.metric, 60);
                sink.push(
                    document,
                    target.cell.span,
                    format!("The target {number} of `{metric}` has no unit."),
                    format!("Write the unit after {number}, such as `{number} ms` or `{number} requests/s`."),
                );
            }
        }
    }
}

/// Whether a number has a unit or a currency, or is a ratio.
fn is_measured(text: &str, number: Span) -> bool {
    let before = text[..number.start].trim_end();
    let behind = text[number.end..].trim_start_matches([' ', '\u{a0}', '+']);
    let mut chars = behind.chars();
    match chars.next() {
        Some(':' | '/') => chars.next().is_some_and(char::is_alphanumeric),
        Some('%' | '‰' | '°' | '×' | '€' | '$' | '£') => true,
        next => next.is_some_and(char::is_alphabetic) || before.ends_with(['€', '$', '£']),
    }
}

/// Whether a metric names what is counted, by its name or by a plural.
fn is_count(metric: &str) -> bool {
    let mut words = metric.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let lower = word.to_lowercase();
        let is_plural = lower.len() > 3 && lower.ends_with('s') && !lower.ends_with("ss");
        is_plural || COUNTS.contains(&lower.as_str())
    })
}
