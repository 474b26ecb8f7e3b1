//! `ralph feedback validate`.

use review_report::feedback::{DocumentFileReport, DocumentReport, validated};
use review_types::ExitCode;

use super::input::files;
use crate::args::{FeedbackValidateArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;

/// Checks all documents of all files.
pub(crate) fn run(context: &mut Context, args: &FeedbackValidateArgs) -> Ended {
    let files = files(context, &args.input)?;
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
    Ok(if valid {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}
