//! `ralph feedback validate`.

use review_report::feedback::{DocumentFileReport, DocumentReport, validated};
use review_types::ExitCode;

use super::input::files;
use crate::args::{FeedbackValidateArgs, PlainFormat};
use crate::context::Context;
use crate::error::{CommandError, Ended};
use crate::output::Version;

/// Checks all documents of all files that can be read.
pub(crate) fn run(context: &mut Context, args: &FeedbackValidateArgs) -> Ended {
    let read: Vec<_> = files(context, &args.input).collect();
    let mut files = Vec::new();
    let mut failed: Option<CommandError> = None;
    for file in read {
        match file {
            Ok(file) => files.push(file),
            Err(error) if failed.is_none() => failed = Some(error),
            Err(error) => context.streams.warn(&error.message()),
        }
    }
    let reports: Vec<_> = files.iter().map(DocumentFileReport::new).collect();
    let valid = reports.iter().all(DocumentFileReport::is_valid);
    match args.format {
        PlainFormat::Human => {
            let text: String = files.iter().map(validated).collect();
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&DocumentReport {
            v: Version,
            files: reports,
        })?,
    }
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(if valid {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}
