//! The review of a change: the loop over specs, as a machine inside the work at a task.
//!
//! The implementer is its applier: what the loop gives back to be applied is the prompt
//! of the next attempt, and the tree of that attempt is the next round.

use std::time::Duration;

use review::config::LoopConfig;
use review::machine::{
    BaseState, ReviewChanges, ReviewDone, ReviewMachine, ReviewNotice, ReviewOp, ReviewOut, Round,
};
use review_flow::{Command, Input, Machine, StepName, StepRecord, Turn};
use review_types::{BlockCode, ModelId, Timestamp};

/// The file with the change, its task and the spec, as a reviewer is given it.
pub const CHANGE_FILE: &str = "change.md";

/// The review of the changes of one task.
#[derive(Clone, Debug)]
pub(super) struct ChangeReview {
    machine: Box<ReviewMachine>,
    state: ReviewState,
    /// How often it went on after its end.
    resumes: u32,
}

/// Where a review is.
#[derive(Clone, Debug)]
enum ReviewState {
    /// A step is open.
    Open(StepName),
    /// The implementer has the feedback, for the step that applies it.
    Applying(StepName),
    /// It ended, or was cut off.
    Ended,
}

/// What follows in a review.
#[derive(Debug)]
pub(super) enum ReviewNext {
    /// Run an operation.
    Do(Box<ReviewOp>),
    /// Pause before the next call.
    Wait(Duration),
    /// The change passed.
    Passed,
    /// The loop cannot pass.
    Blocked { code: BlockCode, reason: String },
    /// The result belongs to no open step.
    Unexpected,
}

impl ChangeReview {
    /// Starts with the change that an implementer made.
    pub(super) fn start(
        config: LoopConfig,
        base: BaseState,
        now: Timestamp,
    ) -> Option<(Self, ReviewNext)> {
        let config = LoopConfig {
            base: Some(base),
            ..config
        };
        let mut review = Self {
            machine: Box::new(ReviewMachine::new(config).ok()?),
            state: ReviewState::Ended,
            resumes: 0,
        };
        let (next, _) = review.turn(Input::Start { at: now });
        Some((review, next))
    }

    /// Goes on with the next change: it answers the feedback of the last round, or comes
    /// after an end.
    pub(super) fn go_on(
        &mut self,
        base: BaseState,
        by: Option<ModelId>,
        now: Timestamp,
    ) -> ReviewNext {
        let input = match std::mem::replace(&mut self.state, ReviewState::Ended) {
            ReviewState::Applying(step) => Input::Finished {
                step,
                record: StepRecord {
                    out: ReviewOut::Applied {
                        after: Some(base),
                        decided: None,
                    },
                    at: now,
                    took_ms: 0,
                    usage: None,
                    by,
                    session: None,
                    undone: Vec::new(),
                },
            },
            ReviewState::Open(_) | ReviewState::Ended => {
                self.resumes += 1;
                Input::Resumed {
                    resume: self.resumes,
                    changes: ReviewChanges {
                        base: Some(base),
                        ..ReviewChanges::default()
                    },
                    at: now,
                }
            }
        };
        self.turn(input).0
    }

    /// Takes in the result of its open step, and returns the round that it is, if it is
    /// one.
    pub(super) fn on_result(
        &mut self,
        record: StepRecord<ReviewOut>,
    ) -> (ReviewNext, Option<Round>) {
        match self.take_open() {
            Some(step) => self.turn(Input::Finished { step, record }),
            None => (ReviewNext::Unexpected, None),
        }
    }

    /// Goes on after a pause.
    pub(super) fn on_waited(&mut self, now: Timestamp) -> ReviewNext {
        match self.take_open() {
            Some(step) => self.turn(Input::Waited { step, at: now }).0,
            None => ReviewNext::Unexpected,
        }
    }

    /// Leaves the feedback to the next attempt.
    pub(super) fn apply_later(&mut self) {
        if let Some(step) = self.take_open() {
            self.state = ReviewState::Applying(step);
        }
    }

    /// Ends what is open: the next change is looked at again.
    pub(super) fn cut(&mut self) {
        self.state = ReviewState::Ended;
    }

    fn take_open(&mut self) -> Option<StepName> {
        match std::mem::replace(&mut self.state, ReviewState::Ended) {
            ReviewState::Open(step) => Some(step),
            ReviewState::Applying(_) | ReviewState::Ended => None,
        }
    }

    fn turn(&mut self, input: Input<ReviewOut, ReviewChanges>) -> (ReviewNext, Option<Round>) {
        let Turn {
            notices,
            commands,
            done,
        } = self.machine.next(input);
        let round = notices.into_iter().find_map(|notice| match notice {
            ReviewNotice::Iteration(round, _) => Some(round),
            _ => None,
        });
        let next = match (done, commands.into_iter().next()) {
            (Some(ReviewDone::Passed | ReviewDone::Approved { .. }), _) => ReviewNext::Passed,
            (Some(ReviewDone::Blocked { code, reason }), _) => ReviewNext::Blocked { code, reason },
            (None, Some(Command::Do { step, op })) => {
                self.state = ReviewState::Open(step);
                ReviewNext::Do(Box::new(op))
            }
            (None, Some(Command::Wait { step, delay })) => {
                self.state = ReviewState::Open(step);
                ReviewNext::Wait(delay)
            }
            (None, Some(Command::Cancel { .. }) | None) => ReviewNext::Unexpected,
        };
        (next, round)
    }
}
