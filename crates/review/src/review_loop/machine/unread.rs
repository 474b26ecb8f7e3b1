//! The machine's handling of a review whose text was not delivered.

use review_events::AgentRole;
use review_types::{AgentError, Failure, Hash, Reading, ReadingPolicy, ReadingState, Verdict};

use super::{NextStep, ReviewMachine, Waiting};
use crate::reading::{self, ReadingSignals};
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{JoinArgs, Joined, PastReview, ReadReview, RetryOf, ReviewOp};
use crate::review_loop::round::Round;
use review_flow::StepName;

impl ReviewMachine {
    /// Returns whether the text was delivered to the current reviewer, and what shows it.
    pub(super) fn reading(&self, signals: Option<&ReadingSignals>) -> Reading {
        let link = self.config.reviewers.get(self.reviewer);
        reading::reading(signals, link.map_or("the reviewer", |link| &*link.name))
    }

    /// Returns why a review does not count, if its text was not delivered.
    pub(super) fn undelivered(&self, signals: Option<&ReadingSignals>) -> Option<Reading> {
        let reading = self.reading(signals);
        let counts = reading::counts(self.config.reading_policy, reading.state);
        (!counts).then_some(reading)
    }

    /// Returns why a malformed answer is none to its prompt, if it is known that the
    /// prompt was not delivered.
    pub(super) fn contradicted(&self, signals: Option<&ReadingSignals>) -> Option<Reading> {
        let reading = self.undelivered(signals)?;
        (reading.state == ReadingState::Contradicted).then_some(reading)
    }

    /// Asks the reviewer once more, then the next one of the chain, then ends the loop.
    /// The findings of the last reviewer that quote the artifact are kept.
    pub(super) fn on_unread(
        &mut self,
        reading: Reading,
        answer: Option<Hash>,
        read: Option<&ReadReview>,
    ) -> NextStep {
        let first = !std::mem::replace(&mut self.asked_to_read, true);
        let answer = answer.filter(|_| first);
        let why = reading.why.clone();
        self.notices.push(ReviewNotice::Unread {
            iteration: self.iteration(),
            reading,
            asked_again: answer.is_some(),
        });
        if let Some(answer) = answer {
            self.retry = Some(RetryOf {
                field: "prompt".to_owned(),
                message: format!("{why}; read all of it, to its last line, before you judge"),
                answer,
            });
            return self.ask();
        }
        if let Some(next) = self.config.reviewers.get(self.reviewer + 1) {
            let by = next.name.clone();
            return self.replace(AgentError::new(Failure::Unread, why), by);
        }
        match read.and_then(|read| self.note_of(read)) {
            Some(note) => {
                self.unread = Some(why);
                note
            }
            None => self.give_up_unread(&why),
        }
    }

    /// Returns the operation that adds the quoted findings of a revision to the ledger.
    fn note_of(&mut self, read: &ReadReview) -> Option<NextStep> {
        self.config.convergence?;
        let base = self.config.base?;
        if read.verdict != Verdict::NeedsRevision {
            return None;
        }
        let iteration = self.iteration();
        self.waiting = Waiting::Join;
        let step = format_args!("join-{iteration}.unread");
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Join(JoinArgs {
                round: PastReview {
                    iteration,
                    review: read.review,
                    decisions: None,
                    ledger: None,
                },
                passed: false,
                before: self.rounds.last().map(Round::past),
                ledger: self.ledger,
                base,
                people: self.people.said,
                proved: read.proved,
                scores_pass: false,
                rebased: self.rebased,
                noted: self.people.noted,
                unread: true,
            })),
        })
    }

    /// Ends the loop after the findings were added.
    pub(super) fn end_unread(&mut self, joined: &Joined, why: String) -> NextStep {
        self.ledger = Some(joined.ledger);
        self.notices.push(ReviewNotice::Findings {
            iteration: self.iteration(),
            ledger: joined.ledger,
            counts: joined.counts.clone(),
            repeated: Vec::new(),
            below_fail_level: 0,
            quotes: joined.quotes,
            unproved_rounds: self.spent_rounds(),
        });
        self.give_up_unread(&why)
    }

    fn give_up_unread(&mut self, why: &str) -> NextStep {
        let help = match self.config.reading_policy {
            ReadingPolicy::Require => {
                "; review.reading = \"require\" takes no review that is not known to have \
                    received its text"
            }
            ReadingPolicy::Off | ReadingPolicy::Ask => "",
        };
        let message = format!(
            "the reviewer did not receive the text that it judged, also when asked again: {why}{help}"
        );
        self.give_up(
            AgentRole::Reviewer,
            AgentError::new(Failure::Unread, message),
        )
    }
}
