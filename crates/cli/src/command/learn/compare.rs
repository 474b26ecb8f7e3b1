//! `ralph learn compare`: two versions of a prompt, held against each other.

use std::num::NonZeroU32;

use review_learning::measure::{
    Comparison, Guard, GuardStatus, Outcome, Quality, Rate, Reason, compare,
};
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::measured::Measured;
use crate::args::{CompareArgs, PlainFormat};
use crate::command::Ended;
use crate::context::Context;
use crate::output::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::output::{Version, printable};

/// The same runs give the same interval.
const SEED: u64 = 0;

/// The result of `learn compare --format json`.
#[derive(Serialize)]
struct Compared<'a> {
    v: Version,
    agent: &'a str,
    /// The version that the other one is held against.
    before: NonZeroU32,
    /// The version that may be better.
    after: NonZeroU32,
    #[serde(flatten)]
    found: &'a Comparison,
}

/// Compares two versions by the runs that used them.
pub(super) fn run(context: &mut Context, args: &CompareArgs) -> Ended {
    let measured = Measured::open(context)?;
    let before = measured.performance(&args.agent, args.before)?;
    let after = measured.performance(&args.agent, args.after)?;
    let found = compare(before.observations(), after.observations(), SEED);
    match args.format {
        PlainFormat::Json => context.streams.print_json(&Compared {
            v: Version,
            agent: &args.agent,
            before: args.before,
            after: args.after,
            found: &found,
        })?,
        PlainFormat::Human => context.streams.print(&rendered(args, &found))?,
    }
    Ok(match found.outcome {
        Outcome::Better | Outcome::NoEvidence => ExitCode::Passed,
        Outcome::Worse => ExitCode::NotPassed,
    })
}

fn rendered(args: &CompareArgs, found: &Comparison) -> String {
    let style = match found.outcome {
        Outcome::Better => GOOD,
        Outcome::Worse => ERROR,
        Outcome::NoEvidence => WARNING,
    };
    let mut text = format!(
        "{STRONG}{} v{} -> v{}{RESET}: {style}{}{RESET}, {}\n",
        printable(&args.agent),
        args.before,
        args.after,
        found.outcome.as_str().replace('_', " "),
        why(found.reason),
    );
    text.push_str(&format!("  {}\n", sample(found)));
    text.push_str(&format!("  {}\n", quality(found)));
    for guard in &found.guards {
        text.push_str(&format!("  {}\n", rate(guard)));
    }
    if let Some(effect) = found.quality.smallest_effect {
        text.push_str(&format!(
            "  {FAINT}a gain of {effect:.1} points would be found four times in five{RESET}\n"
        ));
    }
    if let Some(look) = found.next_look {
        text.push_str(&format!(
            "  {FAINT}the next look is at {} of each version{RESET}\n",
            plural(look, "run", "runs")
        ));
    }
    text
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
