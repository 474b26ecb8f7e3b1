//! Lessons as they are shown.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_types::{Timestamp, plural};

use super::entry::entry_line;
use super::list::LessonState;
use crate::confidence::listed;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::printable;

/// Returns a lesson with all that it holds and its state at the time `now`, and those of the entries that it is based on
/// that are kept.
#[must_use]
pub fn lesson(lesson: &Lesson, sources: &[FeedbackEntry], now: Timestamp) -> String {
    let mut text = format!(
        "{STRONG}{}{RESET}  {}\n  agent: {}\n  {}\n{}",
        lesson.id,
        LessonState::of(lesson, now),
        printable(&lesson.agent),
        printable(&lesson.lesson_text),
        instruction(lesson),
    );
    for (name, value) in fields(lesson) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            text.push_str(&format!("  {FAINT}{name}{RESET}: {}\n", printable(&value)));
        }
    }
    for entry in sources {
        text.push_str(&format!("  {}", entry_line(entry)));
    }
    let gone = lesson.source_feedback.len().saturating_sub(sources.len());
    if gone > 0 {
        let entries = plural(gone, "entry is", "entries are");
        text.push_str(&format!("  {FAINT}{entries} not kept any more{RESET}\n"));
    }
    text
}

/// Returns the line of a lesson's instruction, if it has one.
pub(super) fn instruction(lesson: &Lesson) -> String {
    let text = lesson.constraint_update.as_deref().map(printable);
    text.map_or_else(String::new, |text| format!("  -> {text}\n"))
}

/// What is known of a lesson beside its words, by the names of its fields.
fn fields(lesson: &Lesson) -> Vec<(&'static str, Option<String>)> {
    let share = |share: Option<f64>| share.map(|share| format!("{share:.2}"));
    let count = |count: Option<u32>| count.map(|count| count.to_string());
    let clusters: Vec<String> = lesson.clusters.iter().map(u32::to_string).collect();
    vec![
        ("impact", lesson.impact.map(|impact| impact.to_string())),
        ("confidence", share(lesson.confidence)),
        ("factors", Some(listed(&lesson.factors))),
        ("frequency", share(lesson.frequency)),
        ("occurrences", count(lesson.occurrences)),
        ("clusters", Some(clusters.join(", "))),
        ("pattern", lesson.pattern.clone()),
        ("written_by", lesson.written_by.clone()),
        ("approved_by", lesson.approved_by.clone()),
        ("applied_at", lesson.applied_at.map(|at| at.to_string())),
        ("helpful", count(lesson.helpful)),
        (
            "deferred_until",
            lesson.deferred_until.map(|at| at.to_string()),
        ),
        ("note", lesson.note.clone()),
    ]
}
