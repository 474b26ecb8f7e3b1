//! `ralph feedback`: actionable-feedback documents.

mod convert;
mod show;
mod validate;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use review_report::feedback::{DocumentFile, DocumentForm, documents};
use review_schema::actionable::Mode;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{ERROR, RESET};

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
        FeedbackCommand::Validate(args) => validate::run(context, args),
        FeedbackCommand::Show(args) => show::run(context, args),
        FeedbackCommand::Convert(args) => convert::run(context, args),
    }
}

/// The largest file that is read.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The files that the arguments name.
struct Files {
    read: Vec<DocumentFile>,
    /// Those that cannot be read, by name.
    unread: Vec<(String, CommandError)>,
}

impl Files {
    /// Reads each of them.
    fn read(context: &Context, args: &FeedbackArgs) -> Self {
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
        Self { read, unread }
    }

    /// Reports those that cannot be read, of which the last one is returned.
    fn report_unread(mut self, context: &mut Context) -> Result<(), CommandError> {
        let last = self.unread.pop();
        for (_, error) in self.unread {
            let line = format!("{ERROR}error{RESET}: {}\n", error.message());
            context.streams.say(&line);
        }
        last.map_or(Ok(()), |(_, error)| Err(error))
    }
}

fn read_text(context: &Context, path: &Path) -> Result<String, CommandError> {
    context.input(path)?.text(MAX_FILE)
}
