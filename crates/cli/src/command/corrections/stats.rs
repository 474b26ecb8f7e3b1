//! `ralph corrections list --by agent|type`.

use review_learning::corrections::{Selection, Stats};
use review_report::corrections::{CorrectionStats, Grouping, stats};
use review_types::ExitCode;

use super::each;
use crate::args::{By, Format, ListCorrectionsArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Counts what is selected.
pub(super) fn run(context: &mut Context, by: By, args: &ListCorrectionsArgs) -> Ended {
    let selection = args.selection.selection();
    let mut counted = Stats::default();
    each(context, args.file(), |_, correction| {
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
        Format::Human => {
            let grouping = match by {
                By::Agent | By::Pattern => Grouping::Agent,
                By::Type => Grouping::Type,
            };
            context.streams.print(&stats(&report, grouping))?;
        }
        Format::Json | Format::Jsonl => context.streams.print_json(&report)?,
    }
    Ok(if is_empty {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}
