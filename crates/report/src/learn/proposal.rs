//! What a lesson would change, for the user who decides on it.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_learning::prompt::Change;
use review_types::plural;
use serde::Serialize;
use serde_json::json;

use super::entry::{said, short};
use super::frame;
use crate::diff::coloured;
use crate::text::{fields, one_line, printable};

/// The lessons that wait for a decision.
#[derive(Debug, Serialize)]
pub struct ProposalList {
    /// The lessons.
    pub proposals: Vec<Proposal>,
}

/// A proposed lesson with what it would change.
#[derive(Debug, Serialize)]
pub struct Proposal {
    /// The lesson.
    pub lesson: Lesson,
    /// The version that is in use.
    pub old_version: u32,
    /// The version that would be made.
    pub new_version: u32,
    /// The changes of the prompt.
    pub changes: Vec<Change>,
    /// The same as a unified diff of the prompt.
    pub diff: String,
    /// Tokens by which the prompt would grow, estimated.
    pub token_growth: i64,
    /// Lessons about the same that are in the prompt, or proposed as well.
    pub conflicts: Vec<Conflict>,
}

/// Another lesson about the same.
#[derive(Debug, Serialize)]
pub struct Conflict {
    /// The lesson.
    pub lesson: Lesson,
    /// How similar it is, from 0 to 1.
    pub similarity: f32,
}

/// The maximum number of entries that are listed with a proposal.
const MAX_SOURCES: usize = 5;

/// The row of the keys.
const KEYS: &str = "[a] Approve  [r] Reject  [v] View Full  [q] Defer";
/// The row of the keys of a lesson that was rolled back.
const KEYS_ROLLED_BACK: &str = "[r] Reject  [v] View Full  [q] Defer  [a] Approve again";

/// Returns the box of a proposal; with the keys where a user can press them.
#[must_use]
pub fn boxed(proposal: &Proposal, with_keys: bool) -> String {
    let lesson = &proposal.lesson;
    let (old, new) = (proposal.old_version, proposal.new_version);
    let head = vec![
        "Prompt Update Proposal".to_owned(),
        format!("Agent: {}", printable(lesson.agent.as_str())),
        match old == new {
            true => format!("Version: {old}"),
            false => format!("Version: {old} → {new}"),
        },
    ];
    let mut body = vec![
        "Lessons Applied:".to_owned(),
        format!("{}: {}", lesson.id, one_line(&lesson.lesson_text)),
        String::new(),
        "Changes:".to_owned(),
    ];
    body.extend(proposal.changes.iter().flat_map(changed));
    body.push(String::new());
    let entries = plural(lesson.source_feedback.len(), "entry", "entries");
    body.push(format!("Source Feedback: {entries}"));
    body.push(match lesson.confidence {
        Some(confidence) => format!("Confidence: {:.0}%", confidence * 100.0),
        None => "Confidence: unknown".to_owned(),
    });
    body.push(format!("Tokens: {:+}, estimated", proposal.token_growth));
    if !proposal.conflicts.is_empty() {
        let others = plural(proposal.conflicts.len(), "lesson", "lessons");
        body.push(format!("Conflicts: {others} about the same"));
    }
    if let Some(at) = lesson.rolled_back_at {
        body.push(format!("Rolled back: {at}"));
        body.push("reject it, or put it into other words, by".to_owned());
        let id = short(lesson.id.as_str());
        body.push(format!("ralph learn decide {id} --text TEXT"));
    }
    if let Some(note) = &lesson.note {
        body.push(format!("Note: {}", one_line(note)));
    }
    let mut parts = vec![head, body];
    if with_keys {
        let keys = match lesson.rolled_back_at {
            Some(_) => KEYS_ROLLED_BACK,
            None => KEYS,
        };
        parts.push(vec![keys.to_owned()]);
    }
    frame::boxed(&parts)
}

/// Returns all that is known of a proposal, for below its box.
#[must_use]
pub fn details(proposal: &Proposal, sources: &[FeedbackEntry]) -> String {
    let mut text = coloured(&printable(&proposal.diff));
    text.push_str("source feedback:\n");
    let lesson = &proposal.lesson;
    for id in lesson.source_feedback.iter().take(MAX_SOURCES) {
        let entry = sources.iter().find(|entry| entry.id.as_str() == *id);
        text.push_str(&source(id, entry));
    }
    let more = lesson.source_feedback.len().saturating_sub(MAX_SOURCES);
    if more > 0 {
        let id = short(lesson.id.as_str());
        text.push_str(&format!(
            "  and {more} more: `ralph learn show {id}` lists all\n"
        ));
    }
    let others = json!({"confidence": lesson.factors, "conflicts": proposal.conflicts});
    text + &fields(&others, "")
}

fn source(id: &str, entry: Option<&FeedbackEntry>) -> String {
    let id = printable(id);
    let Some(entry) = entry else {
        return format!("  {id} is not kept any more\n");
    };
    format!(
        "  {id} {} {}: {}\n",
        entry.timestamp,
        entry.feedback_type,
        said(entry)
    )
}

fn changed(change: &Change) -> Vec<String> {
    let old = change
        .old_text
        .as_deref()
        .map(|text| format!("- {}", one_line(text)));
    let new = change
        .new_text
        .as_deref()
        .map(|text| format!("+ {}", one_line(text)));
    old.into_iter().chain(new).collect()
}
