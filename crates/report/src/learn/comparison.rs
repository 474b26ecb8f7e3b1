//! Two versions of a prompt, compared by the runs that used them.

use std::num::NonZeroU32;

use review_learning::measure::{Comparison, Guard, GuardStatus, Outcome, Quality, Rate, Reason};
use review_learning::prompt::VersionChange;
use review_types::plural;
use serde::Serialize;

use super::prompt::cause;
use super::stats::averages_line;
use crate::json::Version;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::printable;

/// Two versions of a prompt, compared.
#[derive(Debug, Serialize)]
pub struct PromptComparison<'a> {
    /// The version of the format.
    pub v: Version,
    /// Whose prompt.
    pub agent: &'a str,
    /// The version that the other one is compared with.
    pub before: NonZeroU32,
    /// The version that may be better.
    pub after: NonZeroU32,
    /// The rollback that took a version back which is not in use again; `null` if there
    /// was none.
    pub taken_back: Option<VersionChange>,
    /// The version in use, the only one that gets more runs.
    #[serde(skip)]
    pub active: NonZeroU32,
    /// The result.
    #[serde(flatten)]
    pub found: &'a Comparison,
}

/// Returns a comparison as users read it.
#[must_use]
pub fn comparison(compared: &PromptComparison<'_>) -> String {
    let found = compared.found;
    let style = match found.outcome {
        Outcome::Better => GOOD,
        Outcome::Worse => ERROR,
        Outcome::NoEvidence => WARNING,
    };
    let mut text = format!(
        "{STRONG}{} v{} -> v{}{RESET}: {style}{}{RESET}, {}\n",
        printable(compared.agent),
        compared.before,
        compared.after,
        found.outcome.as_str().replace('_', " "),
        why(found.reason),
    );
    if let Some(change) = &compared.taken_back {
        text.push_str(&format!(
            "  {WARNING}v{} was taken back{RESET} on {}, and v{} is used again: {}\n",
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
    if !found.looks.is_empty() {
        text.push_str(&format!("  compared: {}\n", sample(found)));
        text.push_str(&format!("  {}\n", quality(found)));
        for guard in &found.guards {
            text.push_str(&format!("  {}\n", rate(guard)));
        }
        let effect = found.quality.smallest_effect;
        if let Some(effect) = effect.filter(|effect| *effect >= 0.05) {
            text.push_str(&format!(
                "  {FAINT}four of five such comparisons find a gain of {effect:.1} points{RESET}\n"
            ));
        }
    }
    if let Some(look) = found.next_look.filter(|_| compared.taken_back.is_none()) {
        text.push_str(&format!("  {FAINT}{}{RESET}\n", next_look(compared, look)));
    }
    text
}

/// When the versions can be compared next: only the version in use gets more runs.
fn next_look(compared: &PromptComparison<'_>, look: usize) -> String {
    let runs = plural(look, "run", "runs");
    let found = compared.found;
    let short = [
        (compared.before, &found.averages_before),
        (compared.after, &found.averages_after),
    ]
    .into_iter()
    .find(|(version, averages)| *version != compared.active && (averages.runs as usize) < look);
    match short {
        Some((version, averages)) => format!(
            "not compared before both versions have {runs}; v{version} has {} and is not in use: \
             `ralph learn rollback {} --to {version}` uses it again",
            averages.runs,
            printable(compared.agent),
        ),
        None => format!("compared next when both versions have {runs}"),
    }
}

const fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::QualityRose => "the quality rose",
        Reason::QualityFell => "the quality fell",
        Reason::GuardHarmed => "a rate that must not worsen did",
        Reason::GuardUnclear => "the quality rose, and a rate that must not worsen is unclear",
        Reason::NoDifference => "the quality is not shown to have changed",
        Reason::TooFewRuns => "there are too few runs",
    }
}

fn sample(found: &Comparison) -> String {
    if found.paired {
        let pairs = plural(found.runs, "pair of runs", "pairs of runs");
        return format!("{pairs} of the same task");
    }
    let runs = plural(found.runs, "run", "runs");
    format!("{runs} of each version, not of the same tasks: weak evidence")
}

fn quality(found: &Comparison) -> String {
    let Quality {
        metric,
        before,
        after,
        shift,
        interval,
        ..
    } = &found.quality;
    let mut text = format!(
        "{}: {} -> {}",
        metric.as_str(),
        points(*before),
        points(*after)
    );
    if let Some(shift) = shift {
        text.push_str(&format!(", shift {shift:+.1}"));
    }
    if let Some(interval) = interval {
        let (low, high) = (interval.low, interval.high);
        text.push_str(&format!(" (95 %: {low:+.1} to {high:+.1})"));
    }
    if let Some(look) = found.looks.last() {
        let p = look.p_better.min(look.p_worse);
        text.push_str(&format!(", p {p:.4} against {:.4}", found.level));
    }
    text
}

fn points(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| format!("{value:.1}"))
}

fn rate(guard: &Guard) -> String {
    let percent = |rate: Rate| points(rate.share().map(|share| 100.0 * share));
    let standing = match guard.standing {
        GuardStatus::Clear => format!("{GOOD}clear{RESET}"),
        GuardStatus::InsufficientEvidence => {
            format!("{WARNING}insufficient evidence, collect more{RESET}")
        }
        GuardStatus::Harm => format!("{ERROR}harm{RESET}"),
    };
    format!(
        "{}: {} % -> {} %, {standing}",
        guard.metric.as_str(),
        percent(guard.before),
        percent(guard.after),
    )
}
