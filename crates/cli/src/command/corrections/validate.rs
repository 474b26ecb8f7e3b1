//! `ralph corrections validate`.

use std::path::{Path, PathBuf};

use review_learning::corrections::{Validation, fix_lines};
use review_report::corrections::{ValidatedFile, ValidationReport};
use review_store::rewrite_lines;
use review_types::ExitCode;

use super::{data_file, note_none};
use crate::args::{PlainFormat, ValidateCorrectionsArgs};
use crate::command::input::{self, STDIN};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use review_report::shown;

/// Validates each file.
pub(super) fn run(context: &mut Context, args: &ValidateCorrectionsArgs) -> Ended {
    let mut files = args.files.clone();
    if files.is_empty() {
        let file = data_file(context, None);
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
            return Err(CommandError::new(ErrorKind::Usage, message));
        }
        let fixed = rewrite_lines(&context.absolute(file), fix_lines);
        fixed.map_err(|error| CommandError::new(ErrorKind::Output, error.to_string()))?
    } else {
        0
    };
    let input = input::open(context, file)?;
    let path = if is_stdin {
        STDIN.to_owned()
    } else {
        shown(context.environment.folder(), file)
    };
    let validation = Validation::of(input, args.mode).map_err(|error| {
        CommandError::new(ErrorKind::Input, format!("cannot read {path}")).source(error)
    })?;
    Ok(ValidatedFile::new(path, fixed, validation))
}
