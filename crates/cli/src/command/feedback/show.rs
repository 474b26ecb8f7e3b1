//! `ralph feedback show`.

use review_report::feedback::{DocumentList, document};
use review_schema::actionable::{Diagnostic, read};

use super::{FeedbackArgs, Files};
use crate::context::Context;
use crate::error::{CommandResult, passed_if};

/// Shows all documents that are valid, warns of the others, and reports the files that
/// cannot be read.
pub(super) fn run(context: &mut Context, args: &FeedbackArgs) -> CommandResult {
    let files = Files::read(context, args);
    let mut documents = Vec::new();
    let mut invalid = 0;
    for found in files.read.iter().flat_map(|file| &file.documents) {
        match read(&found.text, args.mode) {
            Ok((feedback, _)) => documents.push(feedback),
            Err(_) => {
                invalid += 1;
                let first = found.diagnostics.iter().find(|one| one.is_error());
                context.streams.warn(&invalid_document(first));
            }
        }
    }
    let list = DocumentList { documents };
    context.show(args.format, &list, |list| {
        let texts: Vec<_> = list.documents.iter().map(document).collect();
        texts.join("\n")
    })?;
    files.report_unread(context)?;
    passed_if(invalid == 0)
}

fn invalid_document(first: Option<&Diagnostic>) -> String {
    let why = first.map_or(String::new(), |one| {
        format!(" (line {}: {}, {})", one.line, one.code, one.message)
    });
    format!("a document is not valid{why}; `ralph feedback validate` tells more")
}
