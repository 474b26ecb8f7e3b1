//! What became of each candidate.

use std::ops::Range;

use crate::{Parsed, SchemaError};

/// A reading with the fate of every candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What [`parse_and_validate_with`](crate::parse_and_validate_with) returns.
    pub result: Result<Parsed, SchemaError>,
    /// The objects of the answer in their order, at most [`Explanation::MAX_LISTED`].
    pub candidates: Vec<CandidateReport>,
    /// How many more there were.
    pub left_off: usize,
    /// The bytes that all attempts to read an object went over. At most 17 times
    /// the length of the answer.
    pub work: usize,
}

impl Explanation {
    /// The most candidates that are listed.
    pub const MAX_LISTED: usize = 100;

    /// All places in the answer that are told.
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
            if let Fate::Invalid(error) = &mut report.fate {
                places.extend(&mut error.at);
            }
        }
        places
    }
}

/// One object of an answer and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateReport {
    /// Its bytes. For an object inside a string these are the bytes of the string.
    pub span: Range<usize>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fate {
    /// It is the review.
    #[error("chosen")]
    Chosen,
    /// It is a valid review, but another one or the whole reading decided.
    #[error("valid, but not the one that counts")]
    Overruled,
    /// It fails in a field.
    #[error("{0}")]
    Invalid(SchemaError),
    /// It shows the form of an answer instead of being one.
    #[error("a template of an answer, not an answer")]
    Template,
    /// It has no verdict, score or feedback.
    #[error("no verdict, score or feedback in it")]
    NoReview,
    /// It stands in the reviewer's thinking.
    #[error("part of the thinking")]
    Thinking,
    /// Others carry the `review_id` that was asked for, it does not.
    #[error("without the review_id that was asked for")]
    OtherReviewId,
    /// It is quoted inside an object that could not be read.
    #[error("quoted inside a broken object")]
    Quoted,
}

/// What became of the objects so far.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    list: Vec<Line>,
    left_off: usize,
}

#[derive(Debug)]
struct Line {
    report: CandidateReport,
    /// Only those with the `review_id` count, if there are any.
    unsigned: bool,
}

impl Trace {
    /// Adds an object that is no candidate.
    pub(crate) fn add(&mut self, span: Range<usize>, fate: Fate) {
        self.push(span, false, fate);
    }

    /// Adds a candidate with or without the `review_id`.
    pub(crate) fn add_candidate(&mut self, span: Range<usize>, signed: bool, fate: Fate) {
        self.push(span, !signed, fate);
    }

    fn push(&mut self, span: Range<usize>, unsigned: bool, fate: Fate) {
        if self.list.len() < Explanation::MAX_LISTED {
            let report = CandidateReport { span, fate };
            self.list.push(Line { report, unsigned });
        } else {
            self.left_off += 1;
        }
    }

    /// How many are listed.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Declares everything from entry `from` on to be thinking.
    pub(crate) fn thinking(&mut self, from: usize) {
        for line in self.list.iter_mut().skip(from) {
            line.report.fate = Fate::Thinking;
        }
    }

    /// The list, once it is known which candidate was chosen and whether only
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
            report.fate == Fate::Overruled && Some(&report.span) == chosen
        };
        if let Some(report) = list.iter_mut().rev().find(same) {
            report.fate = Fate::Chosen;
        }
        (list, self.left_off)
    }
}

impl Line {
    fn settle(mut self, signed_only: bool) -> CandidateReport {
        let counts = matches!(self.report.fate, Fate::Overruled | Fate::Invalid(_));
        if signed_only && self.unsigned && counts {
            self.report.fate = Fate::OtherReviewId;
        }
        self.report
    }
}
