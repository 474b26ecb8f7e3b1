//! The outcome of each candidate of an answer.

use std::ops::Range;

use crate::{Parsed, SchemaError};

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

    /// Returns all reported offsets in the answer.
    pub(crate) fn places(&mut self) -> Vec<&mut usize> {
        let mut places = Vec::new();
        match &mut self.result {
            Ok(parsed) => {
                places.extend([&mut parsed.span.start, &mut parsed.span.end]);
                places.extend(parsed.repairs.iter_mut().map(|repair| &mut repair.at));
            }
            Err(error) => places.extend(&mut error.at),
        }
        for report in &mut self.candidates {
            places.extend([&mut report.span.start, &mut report.span.end]);
            if let CandidateOutcome::Invalid(error) = &mut report.outcome {
                places.extend(&mut error.at);
            }
        }
        places
    }
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
    /// Adds an object that is not a candidate.
    pub(crate) fn add(&mut self, span: Range<usize>, outcome: CandidateOutcome) {
        self.push(span, false, outcome);
    }

    /// Adds a candidate with or without the `review_id`.
    pub(crate) fn add_candidate(
        &mut self,
        span: Range<usize>,
        signed: bool,
        outcome: CandidateOutcome,
    ) {
        self.push(span, !signed, outcome);
    }

    fn push(&mut self, span: Range<usize>, unsigned: bool, outcome: CandidateOutcome) {
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
        let mut list: Vec<_> = self
            .list
            .into_iter()
            .map(|line| line.settle(signed_only))
            .collect();
        let same = |report: &&mut CandidateReport| {
            report.outcome == CandidateOutcome::Overruled && Some(&report.span) == chosen
        };
        if let Some(report) = list.iter_mut().rev().find(same) {
            report.outcome = CandidateOutcome::Chosen;
        }
        (list, self.left_off)
    }
}

impl Line {
    fn settle(mut self, signed_only: bool) -> CandidateReport {
        let counts = matches!(
            self.report.outcome,
            CandidateOutcome::Overruled | CandidateOutcome::Invalid(_)
        );
        if signed_only && self.unsigned && counts {
            self.report.outcome = CandidateOutcome::OtherReviewId;
        }
        self.report
    }
}
