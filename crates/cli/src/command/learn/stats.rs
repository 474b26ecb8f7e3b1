//! `ralph learn stats`: how agents do under the versions of their prompts.

use review_engine::learn::Measured;
use review_report::learn::{StatsReport, stats};
use review_types::ExitCode;

use super::place::Place;
use crate::args::{LearnStatsArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::Version;

/// Counts what is known.
pub(super) fn run(context: &mut Context, args: &LearnStatsArgs) -> Ended {
    let report = StatsReport {
        v: Version,
        stats: measured(context)?.stats()?,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&stats(&report))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(ExitCode::Passed)
}

/// The versions of the prompts of the current root.
///
/// # Errors
/// When the configuration cannot be used.
pub(super) fn measured(context: &mut Context) -> Result<Measured, CommandError> {
    let place = Place::or_default(context)?;
    let state = context.state_for_reading(&place.settings, &place.root);
    Ok(Measured::new(
        &place.root,
        place.config.prompt_evolution,
        state,
    )?)
}
