//! The actionable-feedback document: what one iteration of a review found, where,
//! and what to do about it.
//!
//! The values are legal by construction. Reading a document, with the place of
//! whatever is wrong in it, is the work of crate `schema`.

mod document;
mod id;
mod item;
mod number;
mod text;
mod word;

pub use document::{
    ActionableFeedback, FeedbackItems, Iteration, NoItems, OverallAssessment, QualityTracking,
    Target,
};
pub use id::{DocumentId, is_uuid};
pub use item::{Evidence, FeedbackItem, Location, Suggestion};
pub use number::{Count, Fraction, NumberRange, Priority};
pub use text::{Action, BoundedText, Issue, Rationale, Summary, TextLength};
pub use word::{Aspect, AssessmentVerdict, LocationType, Phase, Severity, TargetType};
