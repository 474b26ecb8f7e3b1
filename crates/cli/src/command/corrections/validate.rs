//! `ralph corrections validate`.

use clap::Args;
use review_learning::corrections::Mode;
use std::path::{Path, PathBuf};

use review_learning::corrections::{Code, Validation, fix_lines};
use review_report::{ValidatedFile, ValidationReport, shown};
use review_store::rewrite_lines;

use super::{data_file, note_none};
use crate::args::{PlainFormat, one_of};
use crate::command::input::STDIN;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, cannot, passed_if};

#[derive(Debug, Args)]
pub(crate) struct ValidateCorrectionsArgs {
    /// The files; - for standard input [default: .claude/user-corrections.jsonl
    /// of the root].
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How severe lines are read.
    #[arg(long, value_name = "MODE", default_value = "default", value_parser = one_of::<Mode>(Mode::WORDS))]
    mode: Mode,
    /// Write names of patterns in kebab case and the dates of timestamps, then
    /// check what is left.
    #[arg(long)]
    fix: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Validates each file.
pub(super) fn run(context: &mut Context, args: &ValidateCorrectionsArgs) -> CommandResult {
    let mut files = args.files.clone();
    if files.is_empty() {
        let file = data_file(context)?;
        match file.exists() {
            true => files.push(file),
            false => note_none(context),
        }
    }
    let files = files
        .iter()
        .map(|file| validated(context, args, file))
        .collect::<Result<_, _>>()?;
    let report = ValidationReport { files };
    context.show(args.format, &report, |report| {
        report.human("correction", "corrections")
    })?;
    passed_if(report.is_valid())
}

fn validated(
    context: &Context,
    args: &ValidateCorrectionsArgs,
    file: &Path,
) -> Result<ValidatedFile<Code>, CommandError> {
    let path = match file == Path::new(STDIN) {
        true if args.fix => {
            let message = "standard input cannot be fixed; name a file";
            return Err(CommandError::new(message));
        }
        true => STDIN.to_owned(),
        false => shown(&context.environment.folder, file),
    };
    let fixed = match args.fix {
        true => rewrite_lines(&context.absolute(file), fix_lines)?,
        false => 0,
    };
    let input = context.input(file)?.lines()?;
    let validation = Validation::of(input, args.mode).map_err(cannot(format!("read {path}")))?;
    Ok(ValidatedFile {
        path,
        count: validation.count(),
        valid: validation.valid(),
        fixed,
        left_off: validation.left_off(),
        diagnostics: validation.into_diagnostics(),
        error: None,
    })
}
