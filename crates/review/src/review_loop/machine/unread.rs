//! The machine's handling of a review whose text was not delivered.

use review_events::AgentRole;
use review_types::{AgentError, Failure, Hash, Reading, ReadingPolicy, ReadingState, Verdict};

use super::{NextStep, ReviewMachine, Waiting};
use crate::reading::{self, ReadingSignals};
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{
    JoinArgs, Joined, PastReview, QuestionArgs, ReadReview, RetryOf, ReviewOp,
};
use crate::review_loop::round::Round;
use review_flow::StepName;

impl ReviewMachine {
    /// Returns whether the text was delivered to the current reviewer, and what shows it.
    pub(super) fn reading(&self, signals: Option<&ReadingSignals>) -> Reading {
        let link = self.config.reviewers.get(self.reviewer);
        reading::reading(signals, link.map_or("the reviewer", |link| &*link.name))
    }

    /// Returns whether the current reviewer is asked questions about the artifact: where its
    /// review would not count otherwise, and after one that did not.
    pub(super) fn questions(&self) -> Option<QuestionArgs> {
        let link = self.config.reviewers.get(self.reviewer)?;
        let is_in_doubt = match self.config.reading_policy {
            ReadingPolicy::Off => false,
            ReadingPolicy::Ask => self.asked_to_read,
            ReadingPolicy::Require => true,
        };
        let last = self.rounds.last().and_then(|round| round.artifact);
        let last = last.map(|artifact| artifact.manifest);
        let now = self.config.base.map(|artifact| artifact.manifest);
        (link.takes_questions && is_in_doubt).then_some(QuestionArgs {
            since: last.filter(|last| Some(*last) != now),
        })
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
        (answer, session): (Option<Hash>, Option<String>),
        read: Option<&ReadReview>,
    ) -> NextStep {
        let first = !std::mem::replace(&mut self.asked_to_read, true);
        let answer = answer.filter(|_| first);
        let (state, why) = (reading.state, reading.why.clone());
        let advice = reading::advice(&reading);
        let is_incomplete = reading.opened.is_some();
        self.notices.push(ReviewNotice::Unread {
            iteration: self.iteration(),
            reading,
            asked_again: answer.is_some(),
        });
        if let Some(answer) = answer {
            self.retry = Some(RetryOf {
                field: "prompt".to_owned(),
                message: format!("{why}; {advice}"),
                answer,
            });
            if is_incomplete {
                self.reopened = self.answered_in(session);
            }
            return self.ask();
        }
        if let Some(next) = self.config.reviewers.get(self.reviewer + 1) {
            let by = next.name.clone();
            return self.replace(AgentError::new(Failure::Unread, why), by);
        }
        let end = UnreadEnd { state, why };
        match read.and_then(|read| self.note_of(read)) {
            Some(note) => {
                self.unread = Some(end);
                note
            }
            None => self.give_up_unread(&end),
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
                checks: None,
                scores_pass: false,
                rebased: self.rebased,
                noted: self.people.noted,
                unread: true,
            })),
        })
    }

    /// Ends the loop after the findings were added.
    pub(super) fn end_unread(&mut self, joined: &Joined, end: &UnreadEnd) -> NextStep {
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
        self.give_up_unread(end)
    }

    fn give_up_unread(&mut self, why: &UnreadEnd) -> NextStep {
        let UnreadEnd { state, why } = why;
        let message = match state {
            ReadingState::Unknown => format!(
                "nothing shows that the reviewer received the text that it judged, also when asked \
                 again, and review.reading = \"require\" takes no such review: {why}"
            ),
            ReadingState::Contradicted
            | ReadingState::Answered
            | ReadingState::Delivered
            | ReadingState::NotApplicable => format!(
                "the reviewer did not receive the text that it judged, also when asked again: {why}"
            ),
        };
        self.give_up(
            AgentRole::Reviewer,
            AgentError::new(Failure::Unread, message),
        )
    }
}

/// Why a loop ends whose text was not delivered.
#[derive(Clone, Debug)]
pub(super) struct UnreadEnd {
    state: ReadingState,
    why: String,
}
