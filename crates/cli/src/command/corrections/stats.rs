//! `ralph corrections stats`.

use review_learning::corrections::{Selection, Stats};
use review_report::corrections::{CorrectionStats, stats};
use review_types::ExitCode;

use super::each;
use crate::args::{CorrectionStatsArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Counts what is selected.
pub(super) fn run(context: &mut Context, args: &CorrectionStatsArgs) -> Ended {
    let selection = args.selection.selection();
    let mut counted = Stats::default();
    each(context, args.file.as_deref(), |_, correction| {
        if selection.accepts(&correction) {
            counted.add(&correction);
        }
    })?;
    let is_empty = counted.total.count == 0 && selection != Selection::default();
    let report = CorrectionStats {
        v: Version,
        stats: counted,
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&stats(&report))?,
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(if is_empty {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}
