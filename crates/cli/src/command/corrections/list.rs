//! `ralph corrections list`.

use review_learning::corrections::{Correction, Selection};
use review_types::ExitCode;
use serde::Serialize;

use super::each;
use crate::args::{Format, ListCorrectionsArgs};
use crate::context::Context;
use crate::error::Ended;
use crate::output::style::{FAINT, RESET, STRONG};
use crate::output::{Version, printable, to_json};

/// The result of `corrections list --format json`.
#[derive(Serialize)]
struct Listed {
    v: Version,
    corrections: Vec<serde_json::Value>,
}

/// A correction with its place and what it weighs.
#[derive(Serialize)]
struct Item {
    #[serde(skip_serializing_if = "Option::is_none")]
    v: Option<Version>,
    line: u64,
    impact: f64,
    correction: Correction,
}

/// Lists what is selected, line by line.
pub(super) fn run(context: &mut Context, args: &ListCorrectionsArgs) -> Ended {
    let selection = args.selection.selection();
    let mut listed = Vec::new();
    let mut text = Vec::new();
    let mut failed = None;
    let mut count = 0;
    each(context, args.file.as_deref(), |line, correction| {
        if !selection.accepts(&correction) {
            return;
        }
        count += 1;
        if args.format == Format::Human {
            text.extend_from_slice(rendered(line, &correction).as_bytes());
            return;
        }
        let is_line = args.format == Format::Jsonl;
        let item = Item {
            v: is_line.then_some(Version),
            line,
            impact: correction.impact(),
            correction,
        };
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
        Format::Json => context.streams.print_json(&Listed {
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

fn rendered(line: u64, correction: &Correction) -> String {
    let pattern = correction.pattern_inferred.as_ref();
    let pattern = pattern.map_or("-", |name| name.as_str());
    format!(
        "{FAINT}{line:>6}{RESET}  {}  {STRONG}{}{RESET}  {}  {pattern}  {} {} {:.2}\n\
         \x20       {}\n",
        correction.date,
        printable(&correction.agent),
        correction.correction_type,
        correction.effective_severity(),
        correction.source,
        correction.impact(),
        printable(&correction.user_correction.summary),
    )
}
