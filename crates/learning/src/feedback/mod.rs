//! Feedback: what went wrong in one execution of an agent.

mod entry;
mod word;

pub use entry::{Context, Details, FeedbackEntry};
pub use word::{FeedbackType, Severity};
