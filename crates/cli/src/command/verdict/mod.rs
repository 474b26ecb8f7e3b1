//! `ralph verdict`: reads a reviewer's answer.

mod lines;

use std::path::PathBuf;

use clap::Args;
use review_report::verdict::{Reading, human};
use review_schema::{Dialect, Mode, Options, parse_and_validate_with};
use review_types::ExitCode;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::CommandResult;
use lines::MAX_ANSWER;

#[derive(Debug, Args)]
pub(crate) struct VerdictArgs {
    /// The file with the answer; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// How much is repaired: tolerant or strict.
    #[arg(long, default_value_t)]
    mode: Mode,
    /// The form of the answer: verdict, afp or actionable.
    #[arg(long, default_value_t)]
    dialect: Dialect,
    /// The id that the prompt asked the answer to carry.
    #[arg(long, value_name = "ID")]
    review_id: Option<String>,
    /// Read lines {"id","text"} or {"id","text_b64"} and print one line each.
    #[arg(long)]
    jsonl: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Reads one answer, or one a line.
pub(crate) fn run(context: &mut Context, args: &VerdictArgs) -> CommandResult {
    let options = Options {
        mode: args.mode,
        dialect: args.dialect,
        review_id: args.review_id.clone(),
        ..Options::default()
    };
    let mut input = context.input(&args.file)?;
    if args.jsonl {
        lines::run(&mut context.streams, input.source, &options)?;
        return Ok(ExitCode::Passed);
    }
    let answer = input.bytes(MAX_ANSWER)?;
    let reading = Reading(parse_and_validate_with(&answer, &options));
    context.show(args.format, &reading, human)?;
    Ok(reading.exit_code())
}
