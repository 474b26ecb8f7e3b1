//! Decides which of several answers is used.

use crate::actionable::ActionableFeedback;
use crate::afp::FeedbackResponse;
use std::ops::Range;

use review_types::{Review, Verdict};

use crate::form::Mention;
use crate::judge::{Judged, Outcome, guessed};
use crate::parse::CallProblem;
use crate::repair::Notes;
use crate::{EndMark, Field, SchemaError};

/// A valid review among the candidates.
#[derive(Debug)]
pub(crate) struct Winner {
    pub(crate) review: Review,
    pub(crate) response: Option<Box<FeedbackResponse>>,
    pub(crate) document: Option<Box<ActionableFeedback>>,
    pub(crate) end_mark: Option<EndMark>,
    pub(crate) notes: Notes,
    pub(crate) span: Range<usize>,
    /// The error in strict mode.
    refused: Option<SchemaError>,
}

/// The verdicts of the candidates so far, in the order of the content.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    winner: Option<Winner>,
    dissent: Option<usize>,
    error: Option<SchemaError>,
    template: Option<SchemaError>,
    /// Why the call of the last valid review did not end well, by what comes after it.
    call: Option<CallProblem>,
    pub(crate) candidates: usize,
}

impl Tally {
    /// Adds a judged candidate. It comes after all that were added before.
    pub(crate) fn add(&mut self, judged: Judged, span: Range<usize>) {
        match judged.outcome {
            Outcome::Template(error) => {
                self.template = Some(error);
                return;
            }
            Outcome::Invalid(error) => self.error = Some(judged.refused.unwrap_or(error)),
            Outcome::Valid(review) => {
                self.call = None;
                self.winner = Some(Winner {
                    review,
                    response: judged.response,
                    document: judged.document,
                    end_mark: judged.end_mark,
                    notes: judged.notes,
                    span: span.clone(),
                    refused: judged.refused,
                });
            }
        }
        self.candidates += 1;
        if dissents(judged.mention) {
            self.dissent.get_or_insert(span.start);
        }
    }

    /// Adds how the call of what came before ended.
    pub(crate) fn call_ended(&mut self, problem: CallProblem) {
        if problem.is_failure() || self.call.is_none() {
            self.call = Some(problem);
        }
    }

    /// Returns why the call of the last valid review did not end well.
    pub(crate) fn call_problem(&self) -> Option<&CallProblem> {
        self.call.as_ref()
    }

    /// Adds the verdict of something malformed at byte `at`.
    pub(crate) fn mention(&mut self, mention: Mention, at: usize) {
        if dissents(mention) {
            self.dissent.get_or_insert(at);
        }
    }

    /// Returns the offset of something in it that does not pass.
    pub(crate) fn dissent(&self) -> Option<usize> {
        self.dissent
    }

    /// Adds the offset of something outside it that does not pass.
    pub(crate) fn beside(self, dissent: Option<usize>) -> Self {
        Self {
            dissent: self.dissent.or(dissent),
            ..self
        }
    }

    /// Adds a malformed answer.
    pub(crate) fn broken(&mut self, error: SchemaError, mention: Mention, at: usize) {
        self.error = Some(error);
        self.mention(mention, at);
    }

    /// Adds what comes after all of this.
    pub(crate) fn absorb(&mut self, later: Self) {
        self.call = match later.winner {
            Some(_) => later.call,
            None => later.call.or(self.call.take()),
        };
        self.winner = later.winner.or(self.winner.take());
        self.dissent = self.dissent.or(later.dissent);
        self.error = later.error.or(self.error.take());
        self.template = later.template.or(self.template.take());
        self.candidates += later.candidates;
    }

    /// Returns the review that is used. `contrary` is the offset at which the text around
    /// the objects says `needs_revision`. `None` if there is no candidate.
    pub(crate) fn decide(
        self,
        text: &str,
        contrary: Option<usize>,
    ) -> Option<Result<Winner, SchemaError>> {
        let Some(winner) = self.winner else {
            return self.error.or(self.template).map(Err);
        };
        let verdict = winner.review.verdict();
        if let Some(error) = self.call.as_ref().and_then(|call| call.refuse(verdict)) {
            return Some(Err(error.clone()));
        }
        if verdict == Verdict::Pass {
            let blocked = self
                .dissent
                .map(|at| disagreement("another answer does not pass", at))
                .or(contrary.map(|at| disagreement("the text says needs_revision", at)))
                .or(winner.notes.guess().map(|guess| guessed(text, guess)));
            if let Some(error) = blocked {
                return Some(Err(error));
            }
        }
        Some(match winner.refused {
            Some(error) => Err(error),
            None => Ok(winner),
        })
    }
}

fn dissents(mention: Mention) -> bool {
    matches!(mention, Mention::Unclear | Mention::NeedsRevision)
}

fn disagreement(what: &str, at: usize) -> SchemaError {
    SchemaError::new(
        Field::Verdict,
        format!("a pass that is not unanimous: {what}"),
    )
    .at(at)
    .hint("answer with one object only")
}
