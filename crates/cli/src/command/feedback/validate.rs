//! `ralph feedback validate`.

use clap::Args;
use review_report::feedback::{DocumentFileReport, DocumentReport, validated};
use review_types::ExitCode;

use super::input::{FeedbackInputArgs, Files};
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::CommandResult;
use crate::output::Version;

#[derive(Debug, Args)]
pub(crate) struct FeedbackValidateArgs {
    /// What is read.
    #[command(flatten)]
    input: FeedbackInputArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Checks all documents of all files that can be read, and reports the others.
pub(crate) fn run(context: &mut Context, args: &FeedbackValidateArgs) -> CommandResult {
    let files = Files::read(context, &args.input);
    let errors = files.unread.iter();
    let errors: Vec<_> = errors
        .map(|(name, error)| (name, error.message()))
        .collect();
    let mut reports: Vec<_> = files.read.iter().map(DocumentFileReport::new).collect();
    let valid = reports.iter().all(DocumentFileReport::is_valid);
    let unread = errors.iter();
    reports.extend(unread.map(|(name, error)| DocumentFileReport::unread(name, error)));
    match args.format {
        PlainFormat::Human => {
            let text: String = files.read.iter().map(validated).collect();
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&DocumentReport {
            v: Version,
            files: reports,
        })?,
    }
    files.report_unread(context)?;
    Ok(if valid {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}
