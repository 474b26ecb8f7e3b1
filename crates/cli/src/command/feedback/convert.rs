//! `ralph feedback convert`: feedback from one format to another.

use std::path::Path;

use clap::{Args, ValueEnum};
use review_engine::time_ordered_id;
use review_report::feedback::{
    DocumentForm, FeedbackFormat, NewDocument, convert, detect, translate,
};
use review_schema::actionable::DocumentId;
use review_types::ExitCode;

use super::input::read_text;
use crate::clock;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{ERROR, RESET};

#[derive(Debug, Args)]
pub(crate) struct FeedbackConvertArgs {
    /// The format of the input [default: detected].
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<ExchangeFormat>,
    /// The format of the output.
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: ExchangeFormat,
}

/// A format that feedback travels in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExchangeFormat {
    /// An actionable-feedback document.
    Actionable,
    /// A response of the Agent Feedback Protocol 1.2.
    Afp,
    /// A reviewer's answer: verdict, score, feedback.
    Review,
}

impl From<ExchangeFormat> for FeedbackFormat {
    fn from(format: ExchangeFormat) -> Self {
        match format {
            ExchangeFormat::Actionable => Self::Actionable,
            ExchangeFormat::Afp => Self::Afp,
            ExchangeFormat::Review => Self::Review,
        }
    }
}

/// Converts standard input.
pub(crate) fn run(context: &mut Context, args: &FeedbackConvertArgs) -> CommandResult {
    let text = read_text(context, Path::new("-"))?;
    if text.trim().is_empty() {
        return Err(CommandError::new("standard input is empty"));
    }
    let text = match DocumentForm::of_text(&text) {
        DocumentForm::Json | DocumentForm::Jsonl => text,
        DocumentForm::Yaml => match translate(&text) {
            Ok(translated) => translated.text,
            Err(error) => {
                let line = error.place.position.line;
                return Ok(refused(context, &[format!("line {line}: {error}")]));
            }
        },
    };
    let Some(from) = args.from.map(Into::into).or_else(|| detect(&text)) else {
        let error = CommandError::new("cannot tell the format of the input");
        return Err(error.hint("name it with --from"));
    };
    let new = match new_document() {
        Ok(new) => new,
        Err(error) => return Ok(refused(context, &[error])),
    };
    match convert(&text, from, args.to.into(), new) {
        Ok(converted) => {
            for line in grouped(&converted.remarks) {
                context.streams.warn(&line);
            }
            context.streams.print_lines(converted.text)?;
            Ok(ExitCode::Passed)
        }
        Err(invalid) => Ok(refused(context, &invalid.errors)),
    }
}

/// The remarks of each kind in one line: what the output has no place for, and what
/// ralph filled in.
fn grouped(remarks: &[String]) -> Vec<String> {
    let of = |kind: &str| -> Vec<&str> {
        remarks
            .iter()
            .filter_map(|remark| remark.strip_prefix(kind))
            .collect()
    };
    let (lost, derived) = (of("lost: "), of("derived: /"));
    let mut lines = Vec::new();
    if !lost.is_empty() {
        lines.push(format!("not carried over: {}", lost.join(", ")));
    }
    if !derived.is_empty() {
        lines.push(format!("filled in by ralph: {}", derived.join(", ")));
    }
    let is_other =
        |remark: &&String| !remark.starts_with("lost: ") && !remark.starts_with("derived: /");
    lines.extend(remarks.iter().filter(is_other).cloned());
    lines
}

/// The id and the time of a document that has none.
fn new_document() -> Result<NewDocument, String> {
    let timestamp = clock::now();
    let id = time_ordered_id(timestamp).map_err(|error| error.to_string())?;
    let id = DocumentId::new(id.to_string()).map_err(|error| error.to_string())?;
    Ok(NewDocument { id, timestamp })
}

/// Prints what is wrong with an input that is not valid.
fn refused(context: &mut Context, errors: &[String]) -> ExitCode {
    for line in errors {
        let line = format!("{ERROR}error{RESET}: {line}\n");
        context.streams.say(&line);
    }
    ExitCode::NotPassed
}
