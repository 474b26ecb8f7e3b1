//! Lessons: instructions for an agent that follow from its feedback.
//!
//! [`Detector`] finds the patterns in the feedback of an agent. A [`Draft`] is the words of
//! a model, of a user, or of a common pattern; other patterns wait for words.
//! [`Proposing`] makes a proposed [`Lesson`] from both, or adds evidence to an existing
//! one. [`Analysed`] runs all of this as the steps of the protocol. A user's [`Decision`]
//! follows.

mod confidence;
mod decision;
mod extraction;
mod pattern;
mod proposal;
mod record;
mod samples;
#[cfg(test)]
mod tests;
mod word;
mod written;

pub use decision::{AlreadyDecided, Decision, Unwordable};
pub use extraction::{Analysed, Extracting, Extraction, Fallback, RunsSeen, WaitingGroup, Writing};
pub use pattern::{Detection, Detector, FeedbackPattern, LeftAside};
pub use proposal::{Draft, Proposal, Proposing};
pub use record::Lesson;
pub use word::{Impact, LessonStatus};
pub use written::InvalidLesson;
