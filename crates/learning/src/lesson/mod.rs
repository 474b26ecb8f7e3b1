//! Lessons: what an agent is to do from now on, and why.

mod decision;
mod record;
mod word;

pub use decision::{Decision, Settled};
pub use record::Lesson;
pub use word::{Impact, LessonStatus};
