//! Lessons: what an agent is to do from now on, and why.
//!
//! [`detect`] finds the patterns in the feedback of an agent; a [`Draft`] says in
//! the words of the feedback what is to be learned; and [`Proposing`] makes a
//! proposed [`Lesson`] of both, or raises what is known of one that is there;
//! [`Analysed`] does all of that by the steps of the protocol. A
//! person's [`Decision`] follows.

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

pub use confidence::{LessonConfidence, confidence};
pub use decision::{Decision, Settled};
pub use draft::Draft;
pub use extraction::{Analysed, Extracting, Extraction, Fallback, Writing};
pub use pattern::{Detection, FeedbackPattern, detect};
pub use proposal::{Proposal, Proposing};
pub use record::Lesson;
pub use word::{Impact, LessonStatus};
pub use written::{Unusable, WrittenLesson};
