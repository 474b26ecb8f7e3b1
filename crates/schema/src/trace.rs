//! The fate of each candidate, for those who ask.

use std::ops::Range;

use crate::{CandidateReport, Explanation, Fate};

/// What became of the objects so far. It keeps nothing unless it was asked to.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    on: bool,
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
    pub(crate) fn new(on: bool) -> Self {
        Self {
            on,
            ..Self::default()
        }
    }

    /// Adds an object that is no candidate.
    pub(crate) fn add(&mut self, span: Range<usize>, fate: impl FnOnce() -> Fate) {
        self.push(span, false, fate);
    }

    /// Adds a candidate with or without the `review_id`.
    pub(crate) fn add_candidate(
        &mut self,
        span: Range<usize>,
        signed: bool,
        fate: impl FnOnce() -> Fate,
    ) {
        self.push(span, !signed, fate);
    }

    fn push(&mut self, span: Range<usize>, unsigned: bool, fate: impl FnOnce() -> Fate) {
        if !self.on {
            return;
        }
        if self.list.len() < Explanation::MAX_LISTED {
            let fate = fate();
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
