//! Feedback, and the decisions on it.

mod decision;
mod decisions;
mod id;
mod item;
mod items;

pub use decision::{AckDifference, AppliedFeedback, Decision, DecisionStatus, Unexplained};
pub use decisions::{DecisionCounts, Decisions, TakenDecision};
pub use id::{FeedbackId, ReasonCode, RepeatedId};
pub use item::{Aspect, BlankField, Evidence, FeedbackItem, ItemDetails};
pub use items::FeedbackItems;
