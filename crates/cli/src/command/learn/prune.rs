//! `ralph learn prune`.

use review_types::{ExitCode, plural};
use serde::Serialize;

use super::{Ended, place};
use crate::args::{LearnPruneArgs, PlainFormat};
use crate::context::Context;
use crate::output::Version;

/// The result of `learn prune --format json`.
#[derive(Serialize)]
struct Report {
    v: Version,
    pruned: usize,
    kept: usize,
}

/// Removes what the configuration does not keep.
pub(super) fn run(context: &mut Context, args: &LearnPruneArgs) -> Ended {
    let place = place(context)?;
    let collector = place.collector(&context.environment);
    let mut store = collector.store()?;
    let report = Report {
        v: Version,
        pruned: collector.prune(&mut store)?,
        kept: store.entries().len(),
    };
    match args.format {
        PlainFormat::Human => {
            let pruned = plural(report.pruned, "entry", "entries");
            let text = format!("{pruned} removed, {} kept\n", report.kept);
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(ExitCode::Passed)
}
