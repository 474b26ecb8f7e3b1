//! `ralph feedback validate`.

use review_schema::actionable::{Code, Diagnostic};
use review_types::{ExitCode, plural};
use serde::Serialize;

use super::input::{Document, File, files};
use crate::args::{FeedbackValidateArgs, PlainFormat};
use crate::context::Context;
use crate::error::Ended;
use crate::output::style::{ERROR, GOOD, RESET};
use crate::output::{Version, printable};

/// The result of all files.
#[derive(Serialize)]
struct Report<'a> {
    v: Version,
    files: Vec<FileReport<'a>>,
}

/// The result of one file.
#[derive(Serialize)]
struct FileReport<'a> {
    path: &'a str,
    /// How many documents it holds.
    count: usize,
    /// How many of them have no error.
    valid: usize,
    diagnostics: Vec<review_types::diagnostic::Diagnostic<Code>>,
}

impl<'a> FileReport<'a> {
    fn new(file: &'a File) -> Self {
        let documents = file.documents.iter();
        let is_valid = |one: &&Document| !one.diagnostics.iter().any(Diagnostic::is_error);
        Self {
            path: &file.name,
            count: file.documents.len(),
            valid: documents.clone().filter(is_valid).count(),
            diagnostics: documents
                .flat_map(|one| &one.diagnostics)
                .map(of_file)
                .collect(),
        }
    }
}

/// Checks all documents of all files.
pub(crate) fn run(context: &mut Context, args: &FeedbackValidateArgs) -> Ended {
    let files = files(context, &args.input)?;
    let reports: Vec<_> = files.iter().map(FileReport::new).collect();
    let valid = reports.iter().all(|report| report.valid == report.count);
    match args.format {
        PlainFormat::Human => {
            let text: String = files.iter().map(human).collect();
            context.streams.print(&text)?;
        }
        PlainFormat::Json => context.streams.print_json(&Report {
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

/// A diagnostic of a document as one of its file.
fn of_file(one: &Diagnostic) -> review_types::diagnostic::Diagnostic<Code> {
    review_types::diagnostic::Diagnostic {
        line: one.line as u64,
        pointer: one.pointer.clone(),
        code: one.code,
        severity: one.severity,
        message: one.message.clone(),
        fix: None,
    }
}

fn human(file: &File) -> String {
    let name = printable(&file.name);
    let mut text = String::new();
    let diagnostics = || file.documents.iter().flat_map(|one| &one.diagnostics);
    for one in diagnostics() {
        text.push_str(&review_report::diagnostic(&file.name, &of_file(one)));
    }
    let errors = diagnostics().filter(|one| one.is_error()).count();
    let documents = plural(file.documents.len(), "document", "documents");
    let state = if errors == 0 {
        format!("{GOOD}valid{RESET}")
    } else {
        format!("{ERROR}{}{RESET}", plural(errors, "error", "errors"))
    };
    text.push_str(&format!("{name}: {documents}, {state}\n"));
    text
}
