//! Lessons as they are shown.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_types::{Timestamp, plural};

use super::entry::entry_line;
use super::list::LessonState;
use crate::json::value;
use crate::style::{FAINT, RESET, STRONG};
use crate::text::{fields, printable};

/// Returns a lesson with all that it holds and its state at the time `now`, and those of the
/// entries that it is based on that are kept.
#[must_use]
pub fn lesson(lesson: &Lesson, sources: &[FeedbackEntry], now: Timestamp) -> String {
    let mut text = format!(
        "{STRONG}{}{RESET}  {}\n  {}\n{}",
        lesson.id,
        LessonState::of(lesson, now),
        printable(&lesson.lesson_text),
        instruction(lesson),
    );
    let mut others = value(lesson);
    if let Some(others) = others.as_object_mut() {
        others.retain(|name, _| !["id", "lesson_text", "constraint_update"].contains(&&**name));
    }
    text.push_str(&fields(&others, "  "));
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
