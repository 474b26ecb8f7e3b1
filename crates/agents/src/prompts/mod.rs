//! The prompts of the backends that are asked in prose.
//!
//! What artifacts and agents wrote stands between markers that carry the
//! request's nonce, so that it cannot pass for a part of the prompt.

mod template;

use std::fmt::Display;

use review::prompt::{feedback_json, review_instructions};
use review::{ApplyRequest, Retry, ReviewRequest};

use crate::artifact::{ArtifactError, ArtifactFiles};
use template::{Slot, Template};

const REVIEW: Template = Template::new("review", 1, include_str!("review.md"));
const RETRY: Template = Template::new("retry", 1, include_str!("retry.md"));
const APPLY: Template = Template::new("apply", 1, include_str!("apply.md"));

/// A prompt, ready to be sent.
#[derive(Debug)]
pub(crate) struct Prompt {
    /// Name and version of what it was made from.
    pub(crate) label: String,
    /// The prompt itself; files stand in it byte for byte.
    pub(crate) text: Vec<u8>,
}

/// Asks for a review of `files`.
pub(crate) fn review(
    request: &ReviewRequest,
    files: &dyn ArtifactFiles,
) -> Result<Prompt, ArtifactError> {
    let nonce = &request.nonce;
    let instructions = review_instructions(&request.criteria, &request.review_id, None);
    let again = |out: &mut Vec<u8>| match &request.retry {
        Some(retry) => ask_again(retry, nonce, out),
        None => Ok(()),
    };
    prompt(
        REVIEW,
        &[
            ("feature", Slot::Text(&request.feature)),
            ("prd", Slot::Text(&request.prd_path)),
            ("specs", Slot::Text(&request.specs_path)),
            ("nonce", Slot::Text(nonce)),
            ("review_id", Slot::Text(&request.review_id)),
            ("instructions", Slot::Text(&instructions)),
            ("retry", Slot::Written(&again)),
            (
                "artifact",
                Slot::Written(&|out| append_files(files, nonce, out)),
            ),
        ],
    )
}

/// Asks for the feedback to be worked into `files`.
pub(crate) fn apply(
    request: &ApplyRequest,
    files: &dyn ArtifactFiles,
) -> Result<Prompt, ArtifactError> {
    let nonce = &request.nonce;
    let feedback = feedback_json(&request.items);
    prompt(
        APPLY,
        &[
            ("feature", Slot::Text(&request.feature)),
            ("prd", Slot::Text(&request.prd_path)),
            ("specs", Slot::Text(&request.specs_path)),
            ("nonce", Slot::Text(nonce)),
            ("feedback", Slot::Text(&feedback)),
            (
                "artifact",
                Slot::Written(&|out| append_files(files, nonce, out)),
            ),
        ],
    )
}

fn prompt(
    template: Template,
    slots: &[(&str, Slot<'_, ArtifactError>)],
) -> Result<Prompt, ArtifactError> {
    let mut text = Vec::new();
    template.render(&mut text, slots)?;
    Ok(Prompt {
        label: template.label(),
        text,
    })
}

fn ask_again<E>(retry: &Retry, nonce: &str, out: &mut Vec<u8>) -> Result<(), E> {
    RETRY.render(
        out,
        &[
            ("field", Slot::Text(&retry.field)),
            ("message", Slot::Text(&retry.message)),
            ("nonce", Slot::Text(nonce)),
            ("tail", Slot::Text(&retry.tail)),
        ],
    )
}

/// Appends the files, ordered by path, each read straight into the prompt.
fn append_files(
    files: &dyn ArtifactFiles,
    nonce: &str,
    out: &mut Vec<u8>,
) -> Result<(), ArtifactError> {
    let mut paths = files.paths().map_err(ArtifactError::List)?;
    paths.sort_unstable();
    for path in paths {
        append_marker(nonce, format_args!("file {}", path.escape_debug()), out);
        let read = files.append(&path, out);
        read.map_err(|source| ArtifactError::Read { path, source })?;
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        append_marker(nonce, "end", out);
    }
    Ok(())
}

fn append_marker(nonce: &str, what: impl Display, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("<<<{nonce} {what}>>>\n").as_bytes());
}

#[cfg(test)]
mod tests;
