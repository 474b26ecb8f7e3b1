//! The store of feedback, and changes of it.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_types::plural;
use serde::Serialize;

use super::entry::entry_line;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

/// Feedback that was collected.
#[derive(Debug, Default, Serialize)]
pub struct CollectionReport {
    /// The number of pieces of feedback, whatever the configuration accepts.
    pub found: usize,
    /// The number of entries that are new.
    pub added: usize,
    /// The number of entries that are no longer kept.
    pub pruned: usize,
    /// The number of pieces of feedback that are too old or too many to be kept.
    pub left_out: usize,
    /// The entries that are new.
    pub entries: Vec<FeedbackEntry>,
}

/// Returns what was collected as users read it.
#[must_use]
pub fn collection(report: &CollectionReport) -> String {
    let mut text: String = report.entries.iter().map(entry_line).collect();
    let added = plural(report.added, "entry", "entries");
    text.push_str(&format!("{added} added"));
    if report.pruned > 0 {
        text.push_str(&format!(", {} removed", report.pruned));
    }
    text.push('\n');
    if report.left_out > 0 {
        let entries = plural(report.left_out, "entry", "entries");
        text +=
            &format!("{FAINT}{entries} left out: older or more than `retention` keeps{RESET}\n");
    }
    text
}

/// Returns entries as users read them.
#[must_use]
pub fn entries(entries: &[FeedbackEntry]) -> String {
    let mut text: String = entries.iter().map(entry_line).collect();
    text.push_str(&plural(entries.len(), "entry\n", "entries\n"));
    text
}

/// A lesson after a decision.
#[derive(Debug, Serialize)]
pub struct LessonDecision<'a> {
    /// The lesson as it is now.
    pub lesson: &'a Lesson,
    /// The version of the prompt that was made; `null` where none was.
    pub version: Option<u32>,
}

/// Returns a decision as users read it.
#[must_use]
pub fn lesson_decision(decision: &LessonDecision<'_>) -> String {
    let lesson = decision.lesson;
    let status = lesson.status.as_str();
    let state = match lesson.note.as_deref().map(printable) {
        Some(note) if note.starts_with(status) => note.into_owned(),
        Some(note) => format!("{status}, {note}"),
        None => status.to_owned(),
    };
    let until = lesson.deferred_until;
    let until = until.map_or_else(String::new, |until| format!(" until {until}"));
    format!("{STRONG}{}{RESET} {state}{until}\n", lesson.id)
}
