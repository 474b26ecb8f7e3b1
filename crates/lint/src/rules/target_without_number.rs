//! R4.

use crate::facts::{Facts, targets};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};
use crate::words::has_number;

rule! {
    /// Finds metric targets without a number.
    ///
    /// ## What it does
    /// Checks the cells in the column `Target` of tables that also have a column
    /// `Metric`, `Measure`, `KPI`, `SLO`, `SLI` or `Indicator`. A bound such as `O(n)`
    /// or `linear`, words such as `none`, `all` or `never`, code, and a dash are valid.
    ///
    /// ## Why is this bad
    /// Without a number it cannot be measured whether the target is reached.
    ///
    /// ## Example
    /// `| Start time | Fast |`
    ///
    /// ## Fix
    /// Write the number and its unit: `| Start time | < 500 ms |`.
    TargetWithoutNumber {
        code: "R4",
        name: "target-without-number",
        criterion: Testability,
        severity: Info,
        summary: "The target of a metric has no number.",
    }
}

/// Words that are as exact as a number.
const EXACT: [&str; 28] = [
    "all",
    "always",
    "constant",
    "disabled",
    "each",
    "enabled",
    "every",
    "false",
    "linear",
    "logarithmic",
    "n",
    "never",
    "no",
    "none",
    "not",
    "o",
    "once",
    "one",
    "only",
    "pass",
    "passes",
    "proportional",
    "required",
    "same",
    "true",
    "unbounded",
    "unlimited",
    "yes",
];

impl TargetWithoutNumber {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for document in facts.markdown() {
            for target in targets(document) {
                sink.look_at(1);
                let text = target.cell.text.as_str();
                let is_dash = !text.is_empty() && !text.contains(char::is_alphanumeric);
                if has_number(text) || is_dash || is_exact(text) || !target.cell.codes.is_empty() {
                    continue;
                }
                let metric = excerpt(target.metric, 60);
                let said = match text {
                    "" => "is empty".to_owned(),
                    text => format!("is `{}`, which has no number", excerpt(text, 60)),
                };
                sink.push(
                    document,
                    target.cell.span,
                    format!("The target of `{metric}` {said}."),
                    format!("Write the target number of `{metric}`, with its unit."),
                );
            }
        }
    }
}

fn is_exact(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| EXACT.iter().any(|known| word.eq_ignore_ascii_case(known)))
}
