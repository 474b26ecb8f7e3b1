//! From a string in one format to a string in another.

use review_schema::actionable::{ActionableFeedback, Mode, read};
use review_types::closed_list;
use serde_json::Value as Json;

use super::invalid::Invalid;
use super::to::{NewDocument, Written};
use super::{from, to};
use crate::json::line;

closed_list! {
    /// A format that feedback travels in.
    FeedbackFormat {
        /// An actionable-feedback document.
        Actionable => "actionable",
        /// A response of the Agent Feedback Protocol 1.2.
        Afp => "afp",
        /// A reviewer's answer: verdict, score, feedback.
        Review => "review",
    }
}

/// Feedback in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// One line of JSON, line end included.
    pub text: String,
    /// One line for each thing that the output has no place for, or that was
    /// filled in.
    pub remarks: Vec<String>,
}

/// The format of a string, by the fields of its root.
#[must_use]
pub fn detect(text: &str) -> Option<FeedbackFormat> {
    if from::streamed(text).is_some() {
        return Some(FeedbackFormat::Afp);
    }
    let root: Json = serde_json::from_str(text).ok()?;
    let has = |key: &str| root.get(key).is_some();
    if has("feedback_items") {
        Some(FeedbackFormat::Actionable)
    } else if has("protocol_version") {
        Some(FeedbackFormat::Afp)
    } else if has("verdict") {
        Some(FeedbackFormat::Review)
    } else {
        None
    }
}

/// Converts feedback. An actionable-feedback document that has no id or no time
/// gets those of `new`.
///
/// # Errors
/// When the content is not valid, or no valid output can be made of it.
pub fn convert(
    text: &str,
    from: FeedbackFormat,
    to: FeedbackFormat,
    new: NewDocument,
) -> Result<Conversion, Invalid> {
    let written = converted(text, from, to, new)?;
    Ok(Conversion {
        text: line(&written.output),
        remarks: written.remarks,
    })
}

pub(super) fn converted(
    text: &str,
    from: FeedbackFormat,
    to: FeedbackFormat,
    new: NewDocument,
) -> Result<Written, Invalid> {
    let exchange = match from {
        FeedbackFormat::Actionable => {
            let feedback = document(text)?;
            if to == FeedbackFormat::Actionable {
                return Ok(Written {
                    output: serde_json::from_str(text)
                        .map_err(|error| Invalid::new(error.to_string()))?,
                    remarks: Vec::new(),
                });
            }
            from::document(&feedback)?
        }
        FeedbackFormat::Afp => from::afp(text)?,
        FeedbackFormat::Review => from::review(text)?,
    };
    match to {
        FeedbackFormat::Actionable => to::actionable(exchange, new),
        FeedbackFormat::Afp => to::afp(exchange),
        FeedbackFormat::Review => to::review(exchange),
    }
}

fn document(text: &str) -> Result<ActionableFeedback, Invalid> {
    let read = read(text, Mode::Import);
    read.map(|(feedback, _)| feedback).map_err(|found| {
        let errors = found.iter().filter(|one| one.is_error());
        let errors = errors.map(|one| format!("{} {}: {}", one.code, one.pointer, one.message));
        Invalid {
            errors: errors.collect(),
        }
    })
}
