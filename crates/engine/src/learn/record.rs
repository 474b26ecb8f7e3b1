//! The entry or lesson that a user means.

use review_learning::lesson::Lesson;
use review_store::{FeedbackStore, IndexedEntry};

use super::LearnError;

/// An entry of the store of feedback, or a lesson.
#[derive(Debug)]
pub enum Record<'s> {
    /// An entry.
    Entry(&'s IndexedEntry),
    /// A lesson.
    Lesson(Box<Lesson>),
}

/// Returns the one entry or lesson whose id starts with `id`.
///
/// # Errors
/// When none has such an id, or several have.
pub fn find_record<'s>(
    id: &str,
    store: &'s FeedbackStore,
    lessons: Vec<Lesson>,
) -> Result<Record<'s>, LearnError> {
    let wanted = id.to_ascii_lowercase();
    let starts = |id: &str| !wanted.is_empty() && id.starts_with(&wanted);
    let entries = store.entries().iter().filter(|entry| starts(entry.id()));
    let lessons = lessons
        .into_iter()
        .filter(|lesson| starts(lesson.id.as_str()));
    let lessons = lessons.map(|lesson| Record::Lesson(Box::new(lesson)));
    let mut found = entries.map(Record::Entry).chain(lessons);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (first, _) => Err(LearnError::NoRecord {
            id: id.to_owned(),
            several: first.is_some(),
        }),
    }
}
