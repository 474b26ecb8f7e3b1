//! `ralph verdict`: reads a reviewer's answer.

mod lines;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use review_report::verdict::{Reading, human};
use review_schema::{Dialect, Mode, Options, explain, parse_and_validate_with};
use review_types::ExitCode;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::live::Detail;
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
    let mut input = open(context, &args.file)?;
    if args.jsonl {
        lines::run(&mut context.streams, input, &options)?;
        return Ok(ExitCode::Passed);
    }
    let mut answer = Vec::new();
    let read = input.by_ref().take(MAX_ANSWER).read_to_end(&mut answer);
    read.map_err(|error| cannot_read(&args.file, error))?;
    let reading = if context.detail() == Detail::Answers {
        Reading::explained(explain(&answer, &options))
    } else {
        Reading::new(parse_and_validate_with(&answer, &options))
    };
    match args.format {
        PlainFormat::Human => context.streams.print(&human(&reading))?,
        PlainFormat::Json => context.streams.print_json(&reading)?,
    }
    Ok(reading.exit_code())
}

fn open(context: &Context, file: &Path) -> Result<Box<dyn Read>, CommandError> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let opened = review_store::open_named(&context.absolute(file));
    Ok(Box::new(opened.map_err(|error| cannot_read(file, error))?))
}

fn cannot_read(file: &Path, error: std::io::Error) -> CommandError {
    let name = match file.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => file.display().to_string(),
    };
    CommandError::new(format!("cannot read {name}")).source(error)
}
