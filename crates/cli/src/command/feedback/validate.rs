//! `ralph feedback validate`.

use review_report::feedback::{DocumentFileReport, DocumentReport, validated};

use super::{FeedbackArgs, Files};
use crate::context::Context;
use crate::error::{CommandResult, passed_if};

/// Checks all documents of all files that can be read, and reports the others.
pub(super) fn run(context: &mut Context, args: &FeedbackArgs) -> CommandResult {
    let found = Files::read(context, args);
    let mut files: Vec<_> = found.read.iter().map(DocumentFileReport::new).collect();
    let is_valid = files.iter().all(DocumentFileReport::is_valid);
    let errors = found.unread.iter();
    let errors: Vec<_> = errors
        .map(|(name, error)| (name, error.message()))
        .collect();
    let unread = errors.iter();
    files.extend(unread.map(|(name, error)| DocumentFileReport::unread(name, error)));
    let report = DocumentReport { files };
    context.show(args.format, &report, |_| {
        found.read.iter().map(validated).collect()
    })?;
    found.report_unread(context)?;
    passed_if(is_valid)
}
