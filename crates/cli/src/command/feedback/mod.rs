//! `ralph feedback`: actionable-feedback documents.

mod convert;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use review_report::feedback::{DocumentFile, DocumentForm, DocumentList, document, documents};
use review_report::{ValidatedFile, ValidationReport};
use review_schema::actionable::{Code, Diagnostic, Mode, read};

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult, passed_if};

/// Check, show and convert actionable-feedback documents.
#[derive(Debug, Subcommand)]
pub(crate) enum FeedbackCommand {
    /// Check documents against the schema and its rules.
    Validate(FeedbackArgs),
    /// Show documents, the gravest items first.
    Show(FeedbackArgs),
    /// Convert feedback from one format to another.
    Convert(convert::FeedbackConvertArgs),
}

/// What the documents are read from, and how they are printed.
#[derive(Debug, Args)]
pub(crate) struct FeedbackArgs {
    /// The files; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// How severe to be: default (the published schema with its formats, and further rules of
    /// ralph, such as on line numbers; vague or advisory words inside a sentence are warnings),
    /// or strict (they are errors).
    #[arg(long, value_parser = modes(), default_value = "default")]
    mode: Mode,
    /// How to print.
    #[arg(long, value_enum, default_value_t)]
    format: PlainFormat,
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["default", "strict"]).map(|word| match word.as_str() {
        "strict" => Mode::Strict,
        _ => Mode::Default,
    })
}

/// Carries out `feedback`.
pub(crate) fn run(context: &mut Context, command: &FeedbackCommand) -> CommandResult {
    match command {
        FeedbackCommand::Validate(args) => validate(context, args),
        FeedbackCommand::Show(args) => show(context, args),
        FeedbackCommand::Convert(args) => convert::run(context, args),
    }
}

/// The largest file that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The files that the arguments name: what they hold, and which of them cannot be read.
type Files = (Vec<DocumentFile>, Vec<(String, CommandError)>);

fn read_files(context: &Context, args: &FeedbackArgs) -> Files {
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        let name = path.display().to_string();
        match read_text(context, path) {
            Ok(text) => {
                let form = DocumentForm::of_name(path);
                let form = form.unwrap_or_else(|| DocumentForm::of_text(&text));
                let documents = documents(&text, form, args.mode);
                read.push(DocumentFile { name, documents });
            }
            Err(error) => unread.push((name, error)),
        }
    }
    (read, unread)
}

/// Reports files that cannot be read, of which the last one is returned.
fn report_unread(
    context: &mut Context,
    mut unread: Vec<(String, CommandError)>,
) -> Result<(), CommandError> {
    let last = unread.pop();
    for (_, error) in unread {
        context.streams.say(&error.render());
    }
    last.map_or(Ok(()), |(_, error)| Err(error))
}

fn read_text(context: &Context, path: &Path) -> Result<String, CommandError> {
    context.input(path)?.text(MAX_FILE)
}

/// Checks all documents of the files that can be read, and reports the others.
fn validate(context: &mut Context, args: &FeedbackArgs) -> CommandResult {
    let (read, unread) = read_files(context, args);
    let read = read.into_iter().map(|file| {
        let documents = file.documents.iter();
        let valid = documents.filter(|one| !one.diagnostics.iter().any(Diagnostic::is_error));
        ValidatedFile {
            valid: valid.count() as u64,
            count: file.documents.len() as u64,
            ..of_file(
                &file.name,
                file.documents.into_iter().flat_map(|one| one.diagnostics),
            )
        }
    });
    let of_unread = unread.iter().map(|(name, error)| ValidatedFile {
        error: Some(error.message()),
        ..of_file(name, [])
    });
    let report = ValidationReport {
        files: read.chain(of_unread).collect(),
    };
    context.show(args.format, &report, |report| {
        report.human("document", "documents")
    })?;
    report_unread(context, unread)?;
    passed_if(report.is_valid())
}

/// A file with what was found in it.
fn of_file(path: &str, diagnostics: impl IntoIterator<Item = Diagnostic>) -> ValidatedFile<Code> {
    ValidatedFile {
        path: path.to_owned(),
        count: 0,
        valid: 0,
        fixed: 0,
        diagnostics: diagnostics.into_iter().collect(),
        left_off: 0,
        error: None,
    }
}

/// Shows all documents that are valid, warns of the others, and reports the files that
/// cannot be read.
fn show(context: &mut Context, args: &FeedbackArgs) -> CommandResult {
    let (files, unread) = read_files(context, args);
    let mut documents = Vec::new();
    let mut invalid = 0;
    for found in files.iter().flat_map(|file| &file.documents) {
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
    report_unread(context, unread)?;
    passed_if(invalid == 0)
}

fn invalid_document(first: Option<&Diagnostic>) -> String {
    let why = first.map_or(String::new(), |one| {
        format!(" (line {}: {}, {})", one.line, one.code, one.message)
    });
    format!("a document is not valid{why}; `ralph feedback validate` tells more")
}
