//! `ralph corrections remove`.

use crate::args::whole;
use clap::Args;
use std::io::{BufRead, Write};

use review_learning::corrections::{Mode, read};
use review_report::corrections::{RemovedCorrection, removed_correction};
use review_store::rewrite_lines;

use super::data_file;
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::learning::Place;

#[derive(Debug, Args)]
pub(crate) struct RemoveCorrectionArgs {
    /// The line, as `ralph corrections list` shows it.
    #[arg(value_parser = whole::<u64>)]
    line: u64,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Removes the line of a number.
pub(super) fn run(context: &mut Context, args: &RemoveCorrectionArgs) -> CommandResult {
    let file = data_file(context)?;
    let mut removed = None;
    // Copies all lines but the one of this number, and keeps that.
    let edit = |input: &mut dyn BufRead, output: &mut dyn Write| {
        for number in 1.. {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            match number == args.line {
                true => removed = Some(line),
                false => output.write_all(&line)?,
            }
        }
        Ok(u64::from(removed.is_some()))
    };
    if file.exists() {
        rewrite_lines(&file, edit)?;
    }
    let Some(line) = removed else {
        let message = format!("line {} not found", args.line);
        return Err(CommandError::nothing(message).hint("`ralph corrections list` shows the lines"));
    };
    let correction = read(&line, args.line, Mode::Import).object;
    let forgotten = match &correction {
        Some(correction) => {
            let place = Place::current(context, &[])?;
            place.learner()?.forget(correction)?
        }
        None => false,
    };
    let report = RemovedCorrection {
        line: args.line,
        text: String::from_utf8_lossy(&line).trim().to_owned(),
        summary: correction.map(|correction| correction.user_correction.summary),
        forgotten,
    };
    context.show(args.format, &report, removed_correction)
}
