//! The entry or lesson that a user means.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_store::FeedbackStore;

use super::LearnError;

/// An entry of the store of feedback, or a lesson.
#[derive(Debug)]
pub enum Record<'s> {
    /// An entry.
    Entry(&'s FeedbackEntry),
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
    let entries = store
        .entries()
        .iter()
        .filter(|entry| starts(entry.id.as_str()));
    let lessons = lessons
        .into_iter()
        .filter(|lesson| starts(lesson.id.as_str()));
    let lessons = lessons.map(|lesson| Record::Lesson(Box::new(lesson)));
    let mut found: Vec<_> = entries.map(Record::Entry).chain(lessons).collect();
    match found.len() {
        0 => Err(LearnError::NoRecord(id.to_owned())),
        1 => Ok(found.swap_remove(0)),
        _ => Err(LearnError::SeveralRecords {
            id: id.to_owned(),
            matching: found.iter().map(|record| record.id().to_owned()).collect(),
        }),
    }
}

impl Record<'_> {
    fn id(&self) -> &str {
        match self {
            Self::Entry(entry) => entry.id.as_str(),
            Self::Lesson(lesson) => lesson.id.as_str(),
        }
    }
}
