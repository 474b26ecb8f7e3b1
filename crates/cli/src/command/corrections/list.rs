//! `ralph corrections list`.

use review_learning::corrections::Selection;
use review_report::corrections::{CorrectionList, ListedCorrection};
use review_types::ExitCode;

use super::{each, patterns, show, stats};
use crate::args::{By, Format, ListCorrectionsArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::output::{Version, to_json};

/// Shows a line, groups what is selected, or lists it line by line.
pub(super) fn run(context: &mut Context, args: &ListCorrectionsArgs) -> Ended {
    match (args.line(), args.by) {
        (Some(line), _) => show::run(context, line, args),
        (None, Some(By::Pattern)) => patterns::run(context, args),
        (None, Some(by @ (By::Agent | By::Type))) => stats::run(context, by, args),
        (None, None) => list(context, args),
    }
}

fn list(context: &mut Context, args: &ListCorrectionsArgs) -> Ended {
    let selection = args.selection.selection();
    let mut listed = Vec::new();
    let mut text = Vec::new();
    let mut failed = None;
    let mut count = 0;
    each(context, args.file(), |line, correction| {
        if !selection.accepts(&correction) {
            return;
        }
        count += 1;
        let is_line = args.format == Format::Jsonl;
        let item = ListedCorrection {
            v: is_line.then_some(Version),
            line,
            impact: correction.impact(),
            correction,
        };
        if args.format == Format::Human {
            text.extend_from_slice(item.human().as_bytes());
            return;
        }
        match (is_line, serde_json::to_value(&item)) {
            (false, Ok(value)) => listed.push(value),
            _ => match to_json(&item) {
                Ok(line) => text.extend(line),
                Err(error) => failed = Some(error),
            },
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    match args.format {
        Format::Human => context.streams.print(&String::from_utf8_lossy(&text))?,
        Format::Jsonl => context.streams.print_raw(&text)?,
        Format::Json => context.streams.print_json(&CorrectionList {
            v: Version,
            corrections: listed,
        })?,
    }
    Ok(if count == 0 && selection != Selection::default() {
        ExitCode::Nothing
    } else {
        ExitCode::Passed
    })
}
