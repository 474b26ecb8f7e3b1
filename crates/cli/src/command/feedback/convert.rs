//! `ralph feedback convert`: feedback from one format to another.

use std::path::Path;

use clap::Args;
use review_engine::time_ordered_id;
use review_report::feedback::{
    DocumentForm, FeedbackFormat, NewDocument, convert, detect, translate,
};
use review_schema::actionable::DocumentId;
use review_types::ExitCode;

use super::read_text;
use crate::args::one_of;
use crate::clock;
use crate::context::Context;
use crate::error::{CommandError, CommandResult};
use crate::output::style::{ERROR, RESET};

#[derive(Debug, Args)]
pub(crate) struct FeedbackConvertArgs {
    /// The format of the input [default: detected].
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<FeedbackFormat>(FeedbackFormat::WORDS))]
    from: Option<FeedbackFormat>,
    /// The format of the output.
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<FeedbackFormat>(FeedbackFormat::WORDS))]
    to: FeedbackFormat,
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
    let Some(from) = args.from.or_else(|| detect(&text)) else {
        let error = CommandError::new("cannot tell the format of the input");
        return Err(error.hint("name it with --from"));
    };
    match convert(&text, from, args.to, new_document()?) {
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
fn new_document() -> Result<NewDocument, CommandError> {
    let timestamp = clock::now();
    let id = DocumentId::new(time_ordered_id(timestamp)?.to_string())?;
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
