//! Lessons: what an agent is to do from now on, and why.

mod record;
mod word;

pub use record::Lesson;
pub use word::{Impact, LessonStatus};
