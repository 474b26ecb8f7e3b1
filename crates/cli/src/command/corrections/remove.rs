//! `ralph corrections remove`.

use crate::args::whole;
use clap::Args;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use review_learning::corrections::{Mode, read};
use review_report::corrections::{RemovedCorrection, removed_correction};
use review_store::rewrite_lines;

use super::data_file;
use crate::args::PlainFormat;
use crate::command::learn::Place;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};

#[derive(Debug, Args)]
pub(crate) struct RemoveCorrectionArgs {
    /// The line, as `ralph corrections list` shows it.
    #[arg(value_parser = whole::<u64>)]
    line: u64,
    /// The file [default: .claude/user-corrections.jsonl of the root].
    file: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Removes the line of a number.
pub(super) fn run(context: &mut Context, args: &RemoveCorrectionArgs) -> CommandResult {
    let file = data_file(context, args.file.as_deref())?;
    let mut removed = None;
    let mut number = 0;
    let edit = |input: &mut dyn BufRead, output: &mut dyn Write| {
        without(input, output, &mut number, args.line, &mut removed)
    };
    if args.file.is_some() || file.exists() {
        rewrite_lines(&file, edit)?;
    }
    let Some(line) = removed else {
        let message = format!("line {} not found", args.line);
        return Err(CommandError::nothing(message).hint("`ralph corrections list` shows the lines"));
    };
    let correction = read(&line, args.line, Mode::Import).object;
    let forgotten = match &correction {
        Some(correction) if args.file.is_none() => {
            let place = Place::or_default(context)?;
            let redactor = context.environment.redactor();
            place.collector(&redactor).forget(correction)?
        }
        Some(_) | None => false,
    };
    let report = RemovedCorrection {
        line: args.line,
        text: String::from_utf8_lossy(&line).trim().to_owned(),
        summary: correction.map(|correction| correction.user_correction.summary),
        forgotten,
    };
    context.show(args.format, &report, removed_correction)
}

/// Copies all lines but the one of this number, and keeps that.
fn without(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    number: &mut u64,
    wanted: u64,
    removed: &mut Option<Vec<u8>>,
) -> io::Result<u64> {
    let mut changes = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(changes);
        }
        *number += 1;
        match *number == wanted {
            true => {
                changes += 1;
                *removed = Some(line.clone());
            }
            false => output.write_all(&line)?,
        }
    }
}
