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

    /// Discards everything: it was thinking, whose tag was `opened` or not.
    pub(crate) fn forget(&mut self, opened: bool) {
        let signed = self.signed.as_ref();
        let weighed = self.all.candidates + signed.map_or(0, |tally| tally.candidates);
        let left = signed.map(|tally| tally.after_thinking(opened));
        *self = Self {
            all: self.all.after_thinking(opened),
            signed: left.filter(Tally::is_torn),
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
        let has_review_id = self.signed.is_some();
        let (tally, unsigned) = match self.signed {
            Some(signed) => (signed, self.all.candidates),
            None if required && self.all.candidates > 0 => return Err(unsigned_only()),
            None => (self.all, 0),
        };
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
