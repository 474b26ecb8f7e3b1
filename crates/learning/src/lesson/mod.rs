//! Lessons: instructions for an agent that follow from its feedback.
//!
//! [`Detector`] finds the patterns in the feedback of an agent. A [`Draft`] states the
//! lesson in the words of the feedback. [`Proposing`] makes a proposed [`Lesson`] from
//! both, or adds evidence to an existing one. [`Analysed`] runs all of this as the
//! steps of the protocol. A user's [`Decision`] follows.

mod confidence;
mod decision;
mod draft;
mod extraction;
#[cfg(test)]
mod fixture;
mod keywords;
mod pattern;
mod proposal;
mod record;
mod recurrence;
mod samples;
mod word;
mod written;

pub use decision::{AlreadyDecided, Decision, Unwordable};
pub use draft::Draft;
pub use extraction::{Analysed, Extracting, Extraction, Fallback, Writing};
pub use pattern::{Detection, Detector, FeedbackPattern};
pub use proposal::{Proposal, Proposing};
pub use record::Lesson;
pub use word::{Impact, LessonStatus};
pub use written::{InvalidLesson, WrittenLesson};
