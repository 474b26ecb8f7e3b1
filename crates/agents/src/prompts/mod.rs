//! The prompts of the backends that are asked in prose.
//!
//! The instructions of a role come in versions and are no template: they enter
//! the form of a request as a value. The form itself holds the output contract.
//!
//! What artifacts and agents wrote is between markers that carry the
//! request's nonce, so that it cannot pass for a part of the prompt.

mod files;
mod implement;
mod lesson;
mod messages;
mod pick;
mod plan;
mod project;
#[cfg(test)]
pub(crate) mod requests;
mod roles;
mod template;

use review::prompt::{document_instructions, facts_json, review_instructions};
use review::schema::Dialect;
use review::types::{FeedbackId, FeedbackItem, FeedbackItems, Finding};
use review::{ApplyRequest, Fact, Retry, ReviewRequest};
use review_flow::Nonce;
use review_store::{ConfineError, FileArtifact};
use serde::Serialize;
use serde_json::json;

use crate::watch::ApplyScope;

pub use files::ArtifactTooLarge;
use files::append_files;
pub(crate) use files::{MAX_FILES, sha256};
pub use implement::{BriefFile, Rejection, TaskBrief};
pub use lesson::LessonPrompt;
pub use messages::MessagesPrompt;
pub use pick::PickPrompt;
pub use plan::{PlanPrompt, RejectedPlan};
pub(crate) use project::ProjectFiles;
pub use roles::{RolePrompt, RolePrompts};
use template::{Slot, Template};

const REVIEW: Template = Template::new("review", 10, include_str!("review.md"));
const REVIEW_CHANGE: Template = Template::new("review-change", 3, include_str!("review-change.md"));
const RETRY: Template = Template::new("retry", 1, include_str!("retry.md"));
const FACTS: Template = Template::new("facts", 1, include_str!("facts.md"));
const HISTORY: Template = Template::new("history", 2, include_str!("history.md"));
const GUIDANCE: Template = Template::new("guidance", 1, include_str!("guidance.md"));
const FINDINGS: Template = Template::new("findings", 4, include_str!("findings.md"));
const APPLY: Template = Template::new("apply", 5, include_str!("apply.md"));
const APPLY_EDITS: Template = Template::new("apply-edits", 2, include_str!("apply-edits.md"));

/// A prompt, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name and version of its template.
    pub label: String,
    /// The prompt itself, with files byte for byte.
    pub text: Vec<u8>,
}

/// Asks for a review of `artifact`.
pub(crate) fn review(
    request: &ReviewRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
) -> Result<Prompt, ConfineError> {
    ask_for_review(REVIEW, request, artifact, role)
}

/// Asks for a review of the change that is the one file of `artifact`.
pub(crate) fn review_change(
    request: &ReviewRequest,
    artifact: &FileArtifact,
) -> Result<Prompt, ConfineError> {
    ask_for_review(REVIEW_CHANGE, request, artifact, &RolePrompt::of_changes())
}

fn ask_for_review(
    template: Template,
    request: &ReviewRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
) -> Result<Prompt, ConfineError> {
    let nonce = &request.nonce;
    let instructions = match request.dialect {
        Dialect::Verdict | Dialect::Afp => review_instructions(request),
        Dialect::Actionable => document_instructions(request),
    };
    let again = |out: &mut Vec<u8>| match &request.retry {
        Some(retry) => ask_again(retry, nonce, out),
        None => Ok(()),
    };
    prompt(
        template,
        role,
        &[
            ("role", Slot::Text(role.instructions())),
            ("feature", Slot::Text(&request.feature)),
            ("spec", Slot::Text(&request.spec)),
            ("path", Slot::Text(&request.path)),
            ("nonce", Slot::Text(nonce.as_str())),
            ("end_id", Slot::Text(&request.end_id)),
            ("instructions", Slot::Text(&instructions)),
            ("retry", Slot::Written(&again)),
            (
                "facts",
                Slot::Written(&|out| tell(&request.facts, nonce, out)),
            ),
            ("history", Slot::Written(&|out| recall(request, out))),
            (
                "findings",
                Slot::Written(&|out| list(&request.findings, nonce, out)),
            ),
            (
                "guidance",
                Slot::Written(&|out| guide("review", &request.guidance, nonce, out)),
            ),
            (
                "artifact",
                Slot::Written(&|out| append_files(artifact, nonce, out)),
            ),
        ],
    )
}

/// Asks for the feedback to be worked into `artifact`, with no change beyond
/// `scope`.
pub(crate) fn apply(
    request: &ApplyRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
    scope: ApplyScope,
) -> Result<Prompt, ConfineError> {
    application(APPLY, request, artifact, role, scope)
}

/// Asks for edits that work the feedback into `artifact`.
pub(crate) fn apply_edits(
    request: &ApplyRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
) -> Result<Prompt, ConfineError> {
    application(APPLY_EDITS, request, artifact, role, ApplyScope::Artifact)
}

fn application(
    template: Template,
    request: &ApplyRequest,
    artifact: &FileArtifact,
    role: &RolePrompt,
    scope: ApplyScope,
) -> Result<Prompt, ConfineError> {
    let scope = match scope {
        ApplyScope::Artifact => "and change no other file",
        ApplyScope::Root => "and other files of the project only where an item asks for it",
    };
    let nonce = &request.nonce;
    let feedback = items_json(&request.items);
    let again = |out: &mut Vec<u8>| match &request.retry {
        Some(retry) => ask_again(retry, nonce, out),
        None => Ok(()),
    };
    prompt(
        template,
        role,
        &[
            ("role", Slot::Text(role.instructions())),
            ("feature", Slot::Text(&request.feature)),
            ("spec", Slot::Text(&request.spec)),
            ("path", Slot::Text(&request.path)),
            ("nonce", Slot::Text(nonce.as_str())),
            ("scope", Slot::Text(scope)),
            ("feedback", Slot::Text(&feedback)),
            ("retry", Slot::Written(&again)),
            (
                "artifact",
                Slot::Written(&|out| append_files(artifact, nonce, out)),
            ),
        ],
    )
}

fn prompt(
    template: Template,
    role: &RolePrompt,
    slots: &[(&str, Slot<'_, ConfineError>)],
) -> Result<Prompt, ConfineError> {
    let mut text = template.buffer();
    template.render(&mut text, slots)?;
    Ok(Prompt {
        label: role.label(&template.label()),
        text,
    })
}

fn ask_again<E>(retry: &Retry, nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), E> {
    RETRY.render(
        out,
        &[
            ("field", Slot::Text(&retry.field)),
            ("message", Slot::Text(&retry.message)),
            ("nonce", Slot::Text(nonce.as_str())),
            ("tail", Slot::Text(&retry.tail)),
        ],
    )
}

fn tell<E>(facts: &[Fact], nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), E> {
    if facts.is_empty() {
        return Ok(());
    }
    let json = facts_json(facts);
    FACTS.render(
        out,
        &[
            ("nonce", Slot::Text(nonce.as_str())),
            ("facts", Slot::Text(&json)),
        ],
    )
}

fn recall<E>(request: &ReviewRequest, out: &mut Vec<u8>) -> Result<(), E> {
    if request.history.is_empty() {
        return Ok(());
    }
    let json = indented(&request.history);
    HISTORY.render(
        out,
        &[
            ("nonce", Slot::Text(request.nonce.as_str())),
            ("memory_key", Slot::Text(request.memory_key.as_str())),
            ("history", Slot::Text(&json)),
        ],
    )
}

fn list<E>(findings: &[Finding], nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), E> {
    if findings.is_empty() {
        return Ok(());
    }
    let findings: Vec<_> = findings.iter().map(shown).collect();
    let json = indented(&findings);
    FINDINGS.render(
        out,
        &[
            ("nonce", Slot::Text(nonce.as_str())),
            ("findings", Slot::Text(&json)),
        ],
    )
}

fn guide<E>(what: &str, guidance: &[String], nonce: &Nonce, out: &mut Vec<u8>) -> Result<(), E> {
    if guidance.is_empty() {
        return Ok(());
    }
    let text = guidance.join("\n\n");
    GUIDANCE.render(
        out,
        &[
            ("what", Slot::Text(what)),
            ("nonce", Slot::Text(nonce.as_str())),
            ("guidance", Slot::Text(&text)),
        ],
    )
}

/// The part of a finding that a reviewer is given.
fn shown(finding: &Finding) -> serde_json::Value {
    let decided = finding.history.iter().rev();
    let why = decided.filter_map(|change| change.why.as_ref()).next();
    let scope = if finding.out_of_scope { "out" } else { "in" };
    json!({
        "id": finding.id,
        "status": finding.status,
        "scope": scope,
        "section": finding.section,
        "issue": finding.issue,
        "severity": finding.severity,
        "asks_for_revision": finding.blocks(),
        "raised_in_rounds": finding.raised,
        "why": why,
    })
}

/// Feedback with the ids by which it is decided on, as an indented JSON array.
fn items_json(items: &FeedbackItems) -> String {
    let item = |(id, item): (&FeedbackId, &FeedbackItem)| {
        let mut shown = json!({
            "id": id,
            "section": item.section(),
            "issue": item.issue(),
            "suggestion": item.suggestion(),
        });
        if let Some(severity) = item.severity() {
            shown["severity"] = json!(severity);
        }
        if let Some(details) = item.details() {
            shown["details"] = json!(details);
        }
        shown
    };
    indented(&items.iter().map(item).collect::<Vec<_>>())
}

#[expect(
    clippy::expect_used,
    reason = "arrays, strings and numbers always have a JSON form"
)]
fn indented<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string_pretty(value)
        .expect("arrays, strings and numbers always have a JSON form")
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests make the files that they need"
)]
mod tests;
