//! `ralph feedback convert`: feedback from one format to another.

mod exchange;
mod from;
mod to;
mod wire;

use std::path::Path;

use review_schema::actionable::{Mode, read};
use review_types::ExitCode;
use review_types::actionable::ActionableFeedback;
use serde_json::Value as Json;

use super::super::Ended;
use super::input::{by_text, read_text};
use super::yaml::translate;
use crate::args::{DocumentFormat, ExchangeFormat, FeedbackConvertArgs};
use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::output::style::{ERROR, RESET};
use exchange::Exchange;

/// What an input becomes.
#[derive(Debug)]
struct Converted {
    output: Json,
    /// What the output has no place for, or was filled in.
    told: Vec<String>,
}

/// Why an input is not valid.
#[derive(Debug)]
struct Invalid(Vec<String>);

impl Invalid {
    fn new(why: impl Into<String>) -> Self {
        Self(vec![why.into()])
    }
}

/// Converts standard input.
pub(crate) fn run(context: &mut Context, args: &FeedbackConvertArgs) -> Ended {
    let text = read_text(context, Path::new("-"))?;
    let text = match by_text(&text) {
        DocumentFormat::Json | DocumentFormat::Jsonl => text,
        DocumentFormat::Yaml => match translate(&text) {
            Ok(translated) => translated.text,
            Err(error) => {
                let line = error.place.position.line;
                return Ok(refused(context, &[format!("line {line}: {error}")]));
            }
        },
    };
    let Some(from) = args.from.or_else(|| detected(&text)) else {
        let error = CommandError::new(ErrorKind::Input, "cannot tell the format of the input");
        return Err(error.hint("name it with --from"));
    };
    match converted(&text, from, args.to) {
        Ok(Converted { output, told }) => {
            for line in told {
                context.streams.warn(&line);
            }
            context.streams.print_json(&output)?;
            Ok(ExitCode::Passed)
        }
        Err(Invalid(why)) => Ok(refused(context, &why)),
    }
}

/// Says what is wrong with an input that is not valid.
fn refused(context: &mut Context, why: &[String]) -> ExitCode {
    for line in why {
        let told = format!("{ERROR}error{RESET}: {line}\n");
        context.streams.say(&told);
    }
    ExitCode::NotPassed
}

/// The format of a text, by the members of its root.
fn detected(text: &str) -> Option<ExchangeFormat> {
    let root: Json = serde_json::from_str(text).ok()?;
    let has = |key: &str| root.get(key).is_some();
    if has("feedback_items") {
        Some(ExchangeFormat::Actionable)
    } else if has("protocol_version") {
        Some(ExchangeFormat::Afp)
    } else if has("runs") {
        Some(ExchangeFormat::Sarif)
    } else if has("diagnostics") {
        Some(ExchangeFormat::Rdjson)
    } else if has("findings") {
        Some(ExchangeFormat::Codex)
    } else if has("verdict") {
        Some(ExchangeFormat::Review)
    } else {
        None
    }
}

fn converted(text: &str, from: ExchangeFormat, to: ExchangeFormat) -> Result<Converted, Invalid> {
    let exchange = match from {
        ExchangeFormat::Actionable => {
            let feedback = document(text)?;
            if to == ExchangeFormat::Actionable {
                return Ok(normalised(text, &feedback));
            }
            Exchange::of_document(feedback)
        }
        ExchangeFormat::Afp => from::afp(text)?,
        ExchangeFormat::Review => from::review(text)?,
        ExchangeFormat::Sarif => from::sarif(text)?,
        ExchangeFormat::Rdjson => from::rdjson(text)?,
        ExchangeFormat::Codex => from::codex(text)?,
    };
    let (output, carried) = match to {
        ExchangeFormat::Actionable => return to::actionable(exchange),
        ExchangeFormat::Afp => to::afp(&exchange)?,
        ExchangeFormat::Review => to::review(&exchange)?,
        ExchangeFormat::Sarif => to::sarif(&exchange)?,
        ExchangeFormat::Rdjson => to::rdjson(&exchange),
        ExchangeFormat::Codex => to::codex(&exchange),
    };
    let told = exchange.losses(carried);
    Ok(Converted { output, told })
}

fn document(text: &str) -> Result<ActionableFeedback, Invalid> {
    let read = read(text, Mode::Import);
    read.map(|(feedback, _)| feedback).map_err(|found| {
        let errors = found.iter().filter(|one| one.is_error());
        let told = errors.map(|one| format!("{} {}: {}", one.code, one.pointer, one.message));
        Invalid(told.collect())
    })
}

/// The document with its unknown members, and its locations as they were meant.
fn normalised(text: &str, feedback: &ActionableFeedback) -> Converted {
    let mut output: Json = serde_json::from_str(text).unwrap_or_default();
    for (index, item) in feedback.feedback_items.as_slice().iter().enumerate() {
        let pointer = format!("/feedback_items/{index}/location/type");
        if let Some(kind) = output.pointer_mut(&pointer) {
            *kind = item.location.kind.as_str().into();
        }
    }
    let told = Vec::new();
    Converted { output, told }
}

#[cfg(test)]
mod tests;
