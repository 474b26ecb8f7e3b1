//! The result of parsing an answer, with the outcome of each of its candidates.

use std::ops::Range;

use review_types::Review;

use crate::actionable::ActionableFeedback;
use crate::afp::{FeedbackResponse, ResponseBody};
use crate::{Repair, SchemaError};

/// What an answer says about the mark at the end of its prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndMark {
    /// There is none.
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
    /// What it says about the mark at the end of its prompt (`end_id`), if anything.
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
    /// The number of candidates, including this one.
    pub candidates: usize,
    /// The number of objects that are not candidates: not a review, a template,
    /// thinking, or without the `review_id`.
    pub discarded: usize,
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

/// The result of parsing an answer, with the outcome of every candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The result of [`parse_and_validate_with`](crate::parse_and_validate_with).
    pub result: Result<Parsed, SchemaError>,
    /// The objects of the answer in order, at most [`Explanation::MAX_LISTED`].
    pub candidates: Vec<CandidateReport>,
    /// The number of further objects.
    pub left_off: usize,
    /// The number of bytes processed in all attempts to parse an object. At most 17
    /// times the length of the answer.
    pub work: usize,
}

impl Explanation {
    /// Maximum number of candidates that are listed.
    pub const MAX_LISTED: usize = 100;
}

/// An object of an answer, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateReport {
    /// Its byte range. For an object inside a string this is the range of the string.
    pub span: Range<usize>,
    /// Its outcome.
    pub outcome: CandidateOutcome,
}

/// The outcome of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidateOutcome {
    /// It is the review.
    #[error("chosen")]
    Chosen,
    /// It is a valid review, but another one was used, or the answer as a whole failed.
    #[error("valid, but not the one that is used")]
    Overruled,
    /// A field is invalid.
    #[error("{0}")]
    Invalid(SchemaError),
    /// It is a template of an answer.
    #[error("a template of an answer, not an answer")]
    Template,
    /// It has no verdict, score or feedback.
    #[error("no verdict, score or feedback in it")]
    NoReview,
    /// It is in the reviewer's thinking.
    #[error("part of the thinking")]
    Thinking,
    /// It lacks the requested `review_id`, which others have.
    #[error("without the requested review_id")]
    OtherReviewId,
    /// It is quoted inside a malformed object.
    #[error("quoted inside a malformed object")]
    Quoted,
}

/// The outcomes of the objects so far.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    list: Vec<Line>,
    left_off: usize,
}

#[derive(Debug)]
struct Line {
    report: CandidateReport,
    /// Whether only those with the `review_id` count, if there are any.
    unsigned: bool,
}

impl Trace {
    /// Adds an object; a candidate may lack the `review_id`.
    pub(crate) fn add(&mut self, span: Range<usize>, unsigned: bool, outcome: CandidateOutcome) {
        if self.list.len() < Explanation::MAX_LISTED {
            let report = CandidateReport { span, outcome };
            self.list.push(Line { report, unsigned });
        } else {
            self.left_off += 1;
        }
    }

    /// Returns the number of listed objects.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Marks everything from entry `from` on as thinking.
    pub(crate) fn thinking(&mut self, from: usize) {
        for line in self.list.iter_mut().skip(from) {
            line.report.outcome = CandidateOutcome::Thinking;
        }
    }

    /// Returns the list, once it is known which candidate was chosen and whether only
    /// those with the `review_id` counted.
    pub(crate) fn finish(
        self,
        chosen: Option<&Range<usize>>,
        signed_only: bool,
    ) -> (Vec<CandidateReport>, usize) {
        let mut list = Vec::new();
        for Line {
            mut report,
            unsigned,
        } in self.list
        {
            let counts = matches!(
                report.outcome,
                CandidateOutcome::Overruled | CandidateOutcome::Invalid(_)
            );
            if signed_only && unsigned && counts {
                report.outcome = CandidateOutcome::OtherReviewId;
            }
            list.push(report);
        }
        let same = |report: &&mut CandidateReport| {
            report.outcome == CandidateOutcome::Overruled && Some(&report.span) == chosen
        };
        if let Some(report) = list.iter_mut().rev().find(same) {
            report.outcome = CandidateOutcome::Chosen;
        }
        (list, self.left_off)
    }
}
