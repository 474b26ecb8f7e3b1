//! Two versions of a prompt, compared by the runs that used them.

use std::num::NonZeroU32;

use review_learning::measure::{Comparison, Difference, Outcome};
use review_learning::prompt::VersionChange;
use review_types::plural;
use serde::Serialize;

use super::prompt::cause;
use super::stats::averages_line;
use crate::style::{ERROR, GOOD, RESET, STRONG, WARNING};
use crate::text::printable;

/// Two versions of a prompt, compared.
#[derive(Debug, Serialize)]
pub struct PromptComparison<'a> {
    /// Whose prompt.
    pub agent: &'a str,
    /// The version that the other one is compared with.
    pub before: NonZeroU32,
    /// The version that may be better.
    pub after: NonZeroU32,
    /// The rollback of a version that is not in use again; `null` if there was none.
    pub rolled_back: Option<VersionChange>,
    /// The result.
    #[serde(flatten)]
    pub found: &'a Comparison,
}

/// Returns a comparison as users read it.
#[must_use]
pub fn comparison(compared: &PromptComparison<'_>) -> String {
    let found = compared.found;
    let mut text = format!(
        "{STRONG}{} v{} -> v{}{RESET}: {}\n",
        printable(compared.agent),
        compared.before,
        compared.after,
        outcome(found.outcome),
    );
    if let Some(change) = &compared.rolled_back {
        text.push_str(&format!(
            "  {WARNING}v{} was rolled back{RESET} on {}, and v{} is used again: {}\n",
            change.from,
            change.at,
            change.to,
            cause(change),
        ));
    }
    for (version, averages) in [
        (compared.before, &found.averages_before),
        (compared.after, &found.averages_after),
    ] {
        text.push_str(&format!("  v{version}: {}\n", averages_line(averages)));
    }
    let pairs = plural(
        found.pairs as usize,
        "pair of runs of the same task",
        "pairs of runs of the same task",
    );
    text.push_str(&format!(
        "  difference: {}\n  quality: {}, it rose in {} and fell in {} of {pairs}\n  errors: {}\n",
        difference_line(&found.difference),
        outcome(found.quality),
        found.rose,
        found.fell,
        outcome(found.errors),
    ));
    text
}

/// Returns an outcome as users read it.
pub(super) fn outcome(outcome: Outcome) -> String {
    let style = match outcome {
        Outcome::Better => GOOD,
        Outcome::Worse => ERROR,
        Outcome::NotShown => WARNING,
    };
    format!("{style}{}{RESET}", outcome.as_str().replace('_', " "))
}

/// Returns the difference of averages as users read it.
pub(super) fn difference_line(difference: &Difference) -> String {
    let of = |value: Option<f64>, factor: f64| {
        value.map_or_else(
            || "unknown".to_owned(),
            |value| format!("{:+.1}", value * factor),
        )
    };
    format!(
        "error rate {} points, quality {}, passed {} points",
        of(difference.error_rate, 100.0),
        of(difference.quality_score, 1.0),
        of(difference.task_completion_rate, 100.0),
    )
}
