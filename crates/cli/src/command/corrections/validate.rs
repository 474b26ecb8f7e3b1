//! `ralph corrections validate`.

use clap::Args;
use review_learning::corrections::Mode;
use std::path::{Path, PathBuf};

use review_learning::corrections::{Validation, fix_lines};
use review_report::corrections::{ValidatedFile, ValidationReport};
use review_store::rewrite_lines;
use review_types::ExitCode;

use super::{data_file, note_none};
use crate::args::PlainFormat;
use crate::command::input::{self, STDIN};
use crate::context::Context;
use crate::error::{CommandError, CommandResult, OrContext};
use review_report::shown;

#[derive(Debug, Args)]
pub(crate) struct ValidateCorrectionsArgs {
    /// The files; - for standard input [default: .claude/user-corrections.jsonl
    /// of the root].
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How severe lines are read.
    #[arg(long, value_name = "MODE", default_value = "default", value_parser = mode)]
    mode: Mode,
    /// Write names of patterns in kebab case and the dates of timestamps, then
    /// check what is left.
    #[arg(long)]
    fix: bool,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

fn mode(word: &str) -> Result<Mode, String> {
    let known = Mode::ALL.iter().find(|mode| mode.as_str() == word);
    known.copied().ok_or_else(|| {
        let words = Mode::ALL.map(Mode::as_str).join(" ");
        format!("must be one of [{words}]")
    })
}

/// Validates each file.
pub(super) fn run(context: &mut Context, args: &ValidateCorrectionsArgs) -> CommandResult {
    let mut files = args.files.clone();
    if files.is_empty() {
        let file = data_file(context, None)?;
        match file.exists() {
            true => files.push(file),
            false => note_none(context),
        }
    }
    let files = files
        .iter()
        .map(|file| validated(context, args, file))
        .collect::<Result<_, _>>()?;
    let report = ValidationReport::new(files);
    match args.format {
        PlainFormat::Human => {
            for file in &report.files {
                context.streams.print(&file.human())?;
            }
        }
        PlainFormat::Json => context.streams.print_json(&report)?,
    }
    Ok(if report.is_valid() {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn validated(
    context: &Context,
    args: &ValidateCorrectionsArgs,
    file: &PathBuf,
) -> Result<ValidatedFile, CommandError> {
    let is_stdin = file == Path::new(STDIN);
    let fixed = if args.fix {
        if is_stdin {
            let message = "standard input cannot be fixed; name a file";
            return Err(CommandError::new(message));
        }
        let fixed = rewrite_lines(&context.absolute(file), fix_lines);
        fixed?
    } else {
        0
    };
    let input = input::open(context, file)?;
    let path = if is_stdin {
        STDIN.to_owned()
    } else {
        shown(context.environment.folder(), file)
    };
    let validation = Validation::of(input, args.mode).context(format!("cannot read {path}"))?;
    Ok(ValidatedFile::new(path, fixed, validation))
}
