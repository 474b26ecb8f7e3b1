//! `ralph corrections validate`.

use std::path::{Path, PathBuf};

use review_learning::corrections::{Validation, mend_lines};
use review_store::rewrite_lines;
use review_types::ExitCode;

use super::data_file;
use super::report::{FileReport, Report};
use crate::args::{PlainFormat, ValidateCorrectionsArgs};
use crate::command::input::{self, STDIN};
use crate::context::Context;
use crate::error::{CommandError, Ended, ErrorKind};
use crate::location::shown;

/// Validates each file.
pub(super) fn run(context: &mut Context, args: &ValidateCorrectionsArgs) -> Ended {
    let files = if args.files.is_empty() {
        vec![data_file(context, None)]
    } else {
        args.files.clone()
    };
    let files = files
        .iter()
        .map(|file| validated(context, args, file))
        .collect::<Result<_, _>>()?;
    let report = Report::new(files);
    match args.format {
        PlainFormat::Human => {
            for file in &report.files {
                context.streams.print(&file.render())?;
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
) -> Result<FileReport, CommandError> {
    let is_stdin = file == Path::new(STDIN);
    let fixed = if args.fix {
        if is_stdin {
            let message = "standard input cannot be fixed; name a file";
            return Err(CommandError::new(ErrorKind::Usage, message));
        }
        let fixed = rewrite_lines(&context.absolute(file), mend_lines);
        fixed.map_err(|error| CommandError::new(ErrorKind::Output, error.to_string()))?
    } else {
        0
    };
    let format = args.input_format.filter(|_| is_stdin);
    let input = input::open(context, file, format)?;
    let path = if is_stdin {
        STDIN.to_owned()
    } else {
        shown(context.environment.folder(), file)
    };
    let validation = Validation::of(input, args.mode).map_err(|error| {
        CommandError::new(ErrorKind::Input, format!("cannot read {path}")).source(error)
    })?;
    Ok(FileReport::new(path, fixed, validation))
}
