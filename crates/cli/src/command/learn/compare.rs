//! `ralph learn compare`: two versions of a prompt, compared.

use std::num::NonZeroU32;

use review_engine::learn::LearnError;
use review_learning::measure::{Outcome, compare};
use review_report::learn::{PromptComparison, comparison};
use review_types::ExitCode;

use super::place::Place;
use super::stats::measured;
use crate::args::{CompareArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// The same runs give the same interval.
const SEED: u64 = 0;

/// Compares two versions by the runs that used them.
pub(super) fn run(context: &mut Context, args: &CompareArgs) -> Ended {
    let measured = measured(context)?;
    let before = measured.performance(&args.agent, args.before)?;
    let after = measured.performance(&args.agent, args.after)?;
    let found = compare(before.observations(), after.observations(), SEED);
    let place = Place::or_default(context)?;
    let evolution = place.evolution()?;
    let active = evolution.prompts()?.active(&args.agent);
    let active = active.map_err(LearnError::read)?;
    let used = active
        .as_ref()
        .map_or(NonZeroU32::MIN, |active| active.version);
    let taken_back = active.and_then(|active| active.taken_back(args.after).cloned());
    let compared = PromptComparison {
        v: Version,
        agent: &args.agent,
        before: args.before,
        after: args.after,
        taken_back,
        active: used,
        found: &found,
    };
    match args.format {
        PlainFormat::Json => context.streams.print_json(&compared)?,
        PlainFormat::Human => context.streams.print(&comparison(&compared))?,
    }
    Ok(match found.outcome {
        Outcome::Better | Outcome::NoEvidence => ExitCode::Passed,
        Outcome::Worse => ExitCode::NotPassed,
    })
}
