//! The result of parsing an answer.

use std::ops::Range;

use review_types::Review;

use crate::actionable::ActionableFeedback;
use crate::afp::{FeedbackResponse, ResponseBody};
use crate::{Repair, SchemaError};

/// The mark at the end of its prompt, according to an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndMark {
    /// The prompt has no mark.
    Missing,
    /// It is this one.
    Named(String),
}

/// A validated review and how it was parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The review.
    pub review: Review,
    /// The response of the Agent Feedback Protocol that contained it, in that
    /// dialect.
    pub response: Option<Box<FeedbackResponse>>,
    /// The actionable-feedback document that contained it, in that dialect.
    pub document: Option<Box<ActionableFeedback>>,
    /// The mark at the end of its prompt (`end_id`) that it names, if any.
    pub end_mark: Option<EndMark>,
    /// Whether it has the requested `review_id`.
    pub has_review_id: bool,
    /// Whether there is nothing around the object but blanks, thinking before it, and the
    /// fence of one code block.
    pub is_alone: bool,
    /// The repairs, in the order in which they were made, at most
    /// [`Parsed::MAX_REPAIRS`].
    pub repairs: Vec<Repair>,
    /// The byte range of the review in the answer. For a review inside a string this
    /// is the range of the string.
    pub span: Range<usize>,
}

impl Parsed {
    /// Maximum number of repairs that are recorded for one review.
    pub const MAX_REPAIRS: usize = 100;

    /// Returns whether it is a response of the protocol with the verdict of the reviewer in
    /// its extension, which has fields for the ids of the prompt.
    #[must_use]
    pub fn has_outcome(&self) -> bool {
        let body = self.response.as_ref().map(|response| &response.body);
        matches!(body, Some(ResponseBody::Success(success)) if success.outcome().is_some())
    }

    /// Returns whether the reviewer leaves the decision to a human. The review is then a
    /// revision that must not be applied.
    #[must_use]
    pub fn is_escalated(&self) -> bool {
        self.document
            .as_ref()
            .is_some_and(|document| document.is_escalated())
    }
}

/// The result of parsing an answer, with its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The result of [`parse_and_validate_with`](crate::parse_and_validate_with).
    pub result: Result<Parsed, SchemaError>,
    /// The number of bytes processed in all attempts to parse an object. At most 17
    /// times the length of the answer.
    pub work: usize,
}
