//! Decides which of several answers is used.
//!
//! A pass must be unanimous: everything in the answer that mentions a verdict must mention that
//! one, also what is invalid, cut off or outside the objects. Of equal verdicts the last one
//! counts.

use std::ops::Range;

use review_types::Verdict;

use crate::afp::read_request;
use crate::call_end::CallProblem;
use crate::judge::{Answer, Judged, Rejection, guessed};
use crate::repair::Notes;
use crate::spelling::Mention;
use crate::{Dialect, Mode, Options, Parsed, SchemaError};

/// A valid review among the candidates.
#[derive(Debug)]
struct Winner {
    answer: Answer,
    notes: Notes,
    span: Range<usize>,
    strict_error: Option<SchemaError>,
}

/// The verdicts of the candidates so far, in the order of the content.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    winner: Option<Winner>,
    /// The offset of the first one that does not pass.
    dissent: Option<usize>,
    error: Option<SchemaError>,
    template: Option<SchemaError>,
    /// Why the call of the last valid review did not end well, by what comes after it.
    call: Option<CallProblem>,
}

impl Tally {
    /// Adds a judged candidate. It comes after all that were added before.
    pub(crate) fn add(&mut self, judged: Judged, span: Range<usize>, mode: Mode) {
        let strict_error = judged.strict_error(mode);
        match judged.read {
            Err(Rejection::Template(error)) => {
                self.template = Some(error);
                return;
            }
            Err(Rejection::Invalid(error)) => self.error = Some(strict_error.unwrap_or(error)),
            Ok(answer) => {
                self.call = None;
                self.winner = Some(Winner {
                    answer,
                    notes: judged.notes,
                    span: span.clone(),
                    strict_error,
                });
            }
        }
        self.mention(judged.mention, span.start);
    }

    /// Adds how the call of what came before ended.
    fn call_ended(&mut self, problem: CallProblem) {
        if problem.is_failure() || self.call.is_none() {
            self.call = Some(problem);
        }
    }

    /// Adds the verdict of something malformed at byte `at`.
    pub(crate) fn mention(&mut self, mention: Mention, at: usize) {
        if matches!(mention, Mention::Unclear | Mention::NeedsRevision) {
            self.dissent.get_or_insert(at);
        }
    }

    /// Adds a malformed answer.
    pub(crate) fn broken(&mut self, error: SchemaError, mention: Mention, at: usize) {
        self.error = Some(error);
        self.mention(mention, at);
    }

    /// Adds what comes after all of this.
    fn absorb(&mut self, later: Self) {
        self.call = match later.winner {
            Some(_) => later.call,
            None => later.call.or(self.call.take()),
        };
        self.winner = later.winner.or(self.winner.take());
        self.dissent = self.dissent.or(later.dissent);
        self.error = later.error.or(self.error.take());
        self.template = later.template.or(self.template.take());
    }
}

/// The result of scanning a string from left to right.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    all: Tally,
    /// The candidates with the `review_id`.
    signed: Option<Tally>,
    /// The offset of something that does not pass in what was taken for thinking.
    thought: Option<usize>,
    /// The offset at which prose outside the objects states `needs_revision`.
    pub(crate) contrary: Option<usize>,
    /// Whether any object was parsed.
    pub(crate) has_object: bool,
    /// The error of an object without fields of a review.
    pub(crate) broken: Option<SchemaError>,
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

    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        std::iter::once(&self.all).chain(&self.signed)
    }

    /// Discards everything: it was thinking, whose tag was not opened. It may be text of an
    /// answer, so that something in it that does not pass is kept.
    pub(crate) fn forget(&mut self) {
        let dissent = self.tallies().find_map(|tally| tally.dissent);
        *self = Self {
            thought: self.thought.or(dissent),
            ..Self::default()
        };
    }

    /// Adds how the call of what came before ended.
    pub(crate) fn call_ended(&mut self, problem: &CallProblem) {
        for tally in self.signed.iter_mut().chain([&mut self.all]) {
            tally.call_ended(problem.clone());
        }
    }

    /// Adds the result of a string inside the content.
    pub(crate) fn absorb(&mut self, inner: Self) {
        if let Some(problem) = &inner.all.call {
            self.call_ended(problem);
        }
        self.all.absorb(inner.all);
        if let Some(signed) = inner.signed {
            self.tally(true).absorb(signed);
        }
        self.thought = self.thought.or(inner.thought);
        self.contrary = self.contrary.or(inner.contrary);
        self.broken = self.broken.take().or(inner.broken);
    }

    /// Returns the review, or why the answer has none.
    pub(crate) fn conclude(self, text: &str, options: &Options) -> Result<Parsed, SchemaError> {
        let has_review_id = self.signed.is_some();
        let tally = self.signed.unwrap_or(self.all);
        let Some(winner) = tally.winner else {
            let error = tally.error.or(tally.template);
            return Err(error.unwrap_or_else(|| match self.broken {
                _ if options.dialect == Dialect::Afp && read_request(text.as_bytes()).is_ok() => {
                    SchemaError::json("this is a request, not a response")
                }
                Some(broken) => broken,
                None if self.has_object => {
                    SchemaError::verdict("must be one of [pass needs_revision], got: nothing")
                }
                None => SchemaError::json("no JSON object found in output"),
            }));
        };
        let verdict = winner.answer.review.verdict();
        if let Some(error) = tally.call.as_ref().and_then(|call| call.refuse(verdict)) {
            return Err(error.clone());
        }
        if verdict == Verdict::Pass {
            let dissent = tally.dissent.or(self.thought);
            let blocked = dissent
                .map(|at| disagreement("another answer does not pass", at))
                .or(self
                    .contrary
                    .map(|at| disagreement("the text says needs_revision", at)))
                .or(winner.notes.guess().map(|guess| guessed(text, guess)));
            if let Some(error) = blocked {
                return Err(error);
            }
        }
        if let Some(error) = winner.strict_error {
            return Err(error);
        }
        Ok(Parsed {
            review: winner.answer.review,
            response: winner.answer.response,
            document: winner.answer.document,
            end_mark: winner.answer.end_mark,
            is_alone: false,
            has_review_id,
            repairs: winner.notes.repairs().collect(),
            span: winner.span,
        })
    }
}

fn disagreement(what: &str, at: usize) -> SchemaError {
    SchemaError::verdict(format!("a pass that is not unanimous: {what}"))
        .at(at)
        .hint("answer with one object only")
}
