//! `ralph learn prune`.

use review_report::learn::{PruneReport, pruned};
use review_types::ExitCode;

use super::place::place;
use crate::args::{LearnPruneArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Removes what the configuration does not keep.
pub(super) fn run(context: &mut Context, args: &LearnPruneArgs) -> Ended {
    let place = place(context)?;
    let redactor = context.environment.redactor();
    let collector = place.collector(&redactor);
    let mut store = collector.store()?;
    let report = PruneReport {
        v: Version,
        pruned: collector.prune(&mut store)?,
        kept: store.entries().len(),
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&pruned(&report))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(ExitCode::Passed)
}
