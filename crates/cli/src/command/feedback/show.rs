//! `ralph feedback show`.

use clap::Args;
use review_report::feedback::{DocumentList, document};
use review_schema::actionable::{Diagnostic, Mode, read};
use review_types::ExitCode;

use super::input::{FeedbackInputArgs, Files};
use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::CommandResult;
use crate::output::Version;

#[derive(Debug, Args)]
pub(crate) struct FeedbackShowArgs {
    /// What is read.
    #[command(flatten)]
    input: FeedbackInputArgs,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

/// Shows all documents that are valid, warns of the others, and reports the files that
/// cannot be read.
pub(crate) fn run(context: &mut Context, args: &FeedbackShowArgs) -> CommandResult {
    let files = Files::read(context, &args.input);
    let mode: Mode = args.input.mode.into();
    let mut documents = Vec::new();
    let mut invalid = 0;
    for found in files.read.iter().flat_map(|file| &file.documents) {
        match read(&found.text, mode) {
            Ok((feedback, _)) => documents.push(feedback),
            Err(_) => {
                invalid += 1;
                let first = found.diagnostics.iter().find(|one| one.is_error());
                context.streams.warn(&invalid_document(first));
            }
        }
    }
    match args.format {
        PlainFormat::Human => {
            let texts: Vec<_> = documents.iter().map(document).collect();
            context.streams.print(&texts.join("\n"))?;
        }
        PlainFormat::Json => context.streams.print_json(&DocumentList {
            v: Version,
            documents,
        })?,
    }
    files.report_unread(context)?;
    Ok(if invalid == 0 {
        ExitCode::Passed
    } else {
        ExitCode::NotPassed
    })
}

fn invalid_document(first: Option<&Diagnostic>) -> String {
    let why = first.map_or(String::new(), |one| {
        format!(" (line {}: {}, {})", one.line, one.code, one.message)
    });
    format!("a document is not valid{why}; `ralph feedback validate` tells more")
}
