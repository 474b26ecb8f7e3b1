//! The entry or lesson that a user means.

use review_learning::feedback::FeedbackEntry;
use review_learning::lesson::Lesson;
use review_store::FeedbackStore;

use super::LearnError;

/// The maximum number of ids that a message lists.
const LISTED: usize = 5;

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
    let entries = store.entries().iter().map(Record::Entry);
    let lessons = lessons.into_iter().map(Box::new).map(Record::Lesson);
    one_of(id, entries.chain(lessons), |record| match record {
        Record::Entry(entry) => entry.id.as_str(),
        Record::Lesson(lesson) => lesson.id.as_str(),
    })
}

/// Returns the one lesson whose id starts with `id`.
///
/// # Errors
/// When none has such an id, or several have.
pub fn find_lesson(lessons: Vec<Lesson>, id: &str) -> Result<Lesson, LearnError> {
    one_of(id, lessons.into_iter(), |lesson| lesson.id.as_str())
}

fn one_of<T>(
    id: &str,
    all: impl Iterator<Item = T>,
    id_of: impl Fn(&T) -> &str,
) -> Result<T, LearnError> {
    let wanted = id.to_ascii_lowercase();
    let is_meant = |one: &T| !wanted.is_empty() && id_of(one).starts_with(&wanted);
    let mut found: Vec<T> = all.filter(is_meant).collect();
    match found.len() {
        0 => Err(LearnError::NotFound(id.to_owned())),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let matching = found.iter().take(LISTED).map(&id_of);
            let matching = matching.collect::<Vec<_>>().join(", ");
            let message = format!("\"{id}\" is ambiguous; it matches {matching}");
            Err(LearnError::failed(message).hint("give more of the id"))
        }
    }
}
