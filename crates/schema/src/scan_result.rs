//! The result of scanning a string.

use crate::afp::read_request;
use crate::parse::CallProblem;
use crate::tally::Tally;
use crate::{Dialect, Field, Options, Parsed, SchemaError};

/// The result of scanning a string from left to right.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    pub(crate) all: Tally,
    /// The candidates with the `review_id`.
    signed: Option<Tally>,
    /// The offset of something that does not pass in what was taken for thinking.
    thought: Option<usize>,
    /// The offset at which the text outside the objects says `needs_revision`.
    pub(crate) contrary: Option<usize>,
    /// Whether any object was parsed.
    pub(crate) objects: bool,
    /// The error of an object without fields of a review.
    pub(crate) broken: Option<SchemaError>,
    pub(crate) discarded: usize,
}

impl ScanResult {
    /// Returns the tally of those with or without the `review_id`.
    pub(crate) fn tally(&mut self, signed: bool) -> &mut Tally {
        if signed {
            self.signed.get_or_insert_default()
        } else {
            &mut self.all
        }
    }

    /// Discards everything: it was thinking, whose tag was not opened. It may be text of an
    /// answer, so that something in it does not pass is kept.
    pub(crate) fn forget(&mut self) {
        let tallies = [Some(&self.all), self.signed.as_ref()];
        let weighed = tallies.into_iter().flatten();
        let weighed: usize = weighed.map(|tally| tally.candidates).sum();
        let dissent = tallies.into_iter().flatten().find_map(Tally::dissent);
        *self = Self {
            thought: self.thought.or(dissent),
            discarded: self.discarded + weighed,
            ..Self::default()
        };
    }

    /// Adds how the call of what came before ended.
    pub(crate) fn call_ended(&mut self, problem: CallProblem) {
        for tally in self.signed.iter_mut().chain([&mut self.all]) {
            tally.call_ended(problem.clone());
        }
    }

    /// Adds the result of a string inside the content.
    pub(crate) fn absorb(&mut self, inner: Self) {
        if let Some(problem) = inner.all.call_problem() {
            self.call_ended(problem.clone());
        }
        self.all.absorb(inner.all);
        if let Some(signed) = inner.signed {
            self.tally(true).absorb(signed);
        }
        self.thought = self.thought.or(inner.thought);
        self.contrary = self.contrary.or(inner.contrary);
        self.broken = self.broken.take().or(inner.broken);
        self.discarded += inner.discarded;
    }

    /// Returns whether any candidate has the `review_id`.
    pub(crate) fn is_signed(&self) -> bool {
        self.signed.is_some()
    }

    /// Returns the review, or why there is none.
    pub(crate) fn conclude(self, text: &str, options: &Options) -> Result<Parsed, SchemaError> {
        let required = options.require_review_id && options.review_id.is_some();
        let has_review_id = self.is_signed();
        let (tally, unsigned) = match self.signed {
            Some(signed) => (signed, self.all.candidates),
            None if required && self.all.candidates > 0 => return Err(unsigned_only()),
            None => (self.all, 0),
        };
        let tally = tally.beside(self.thought);
        let candidates = tally.candidates;
        let winner = match tally.decide(text, self.contrary) {
            Some(decision) => decision?,
            None if options.dialect == Dialect::Afp && read_request(text.as_bytes()).is_ok() => {
                return Err(SchemaError::json("this is a request, not a response"));
            }
            None => return Err(nothing(self.broken, self.objects)),
        };
        Ok(Parsed {
            review: winner.review,
            response: winner.response,
            document: winner.document,
            end_mark: winner.end_mark,
            is_alone: false,
            has_review_id,
            repairs: winner.notes.into_list(),
            span: winner.span,
            candidates,
            discarded: self.discarded + unsigned,
        })
    }
}

fn unsigned_only() -> SchemaError {
    SchemaError::new(Field::Verdict, "no answer has the requested review_id")
}

fn nothing(broken: Option<SchemaError>, objects: bool) -> SchemaError {
    match broken {
        Some(error) => error,
        None if objects => SchemaError::new(
            Field::Verdict,
            "must be one of [pass needs_revision], got: nothing",
        ),
        None => SchemaError::json("no JSON object found in output"),
    }
}
