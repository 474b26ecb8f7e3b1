//! A review with the story of its reading.

use crate::actionable::ActionableFeedback;
use crate::afp::FeedbackResponse;
use std::ops::Range;

use review_types::Review;

use crate::Repair;

/// A checked review and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The review.
    pub review: Review,
    /// The response of the Agent Feedback Protocol that it was read from, in that
    /// dialect.
    pub response: Option<Box<FeedbackResponse>>,
    /// The actionable-feedback document that it was read from, in that dialect.
    pub document: Option<Box<ActionableFeedback>>,
    /// What was mended on the way, in the order in which it was found. At most
    /// [`Parsed::MAX_REPAIRS`] are kept.
    pub repairs: Vec<Repair>,
    /// The bytes of the answer that the review was read from. For a review inside
    /// a string these are the bytes of the string.
    pub span: Range<usize>,
    /// How many objects looked like a review and were weighed, this one included.
    pub candidates: usize,
    /// How many objects were left out: no review, a template, thinking, or
    /// without the `review_id`.
    pub discarded: usize,
}

impl Parsed {
    /// The most repairs that are kept for one review.
    pub const MAX_REPAIRS: usize = 100;

    /// Whether the reviewer hands the decision to a person. The review then asks
    /// for a revision and must not be acted on as one.
    #[must_use]
    pub fn is_escalated(&self) -> bool {
        self.document
            .as_ref()
            .is_some_and(|document| document.is_escalated())
    }
}
