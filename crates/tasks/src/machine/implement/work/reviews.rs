//! The review of a change.

use review::Subject;
use review::config::LoopConfig;
use review::events::AttemptCode;
use review::machine::{BaseState, ReviewOp, ReviewOut};
use review_flow::StepRecord;
use review_types::BlockCode;

use super::refusal::{Follows, Refusal, code_of_review};
use super::{Accepted, Stage, TaskWork, WorkContext, WorkNext, numbered};
use crate::machine::implement::reviewing::{CHANGE_FILE, ChangeReview, ReviewNext};
use crate::machine::lane::LaneOp;
use crate::machine::notice::{Reviewed, TaskNotice};

impl TaskWork {
    pub(super) fn write_change(
        &mut self,
        context: &WorkContext<'_>,
        accepted: Accepted,
    ) -> WorkNext {
        let op = LaneOp::WriteChange {
            task: context.task.clone(),
            tip: context.tip.commit.clone(),
            tree: accepted.tree.clone(),
        };
        self.stage = Stage::WritingChange(accepted);
        WorkNext::Do(format!("change.{}", self.attempt), op)
    }

    /// Has the document about the change reviewed.
    pub(super) fn review_change(
        &mut self,
        context: &mut WorkContext<'_>,
        accepted: Accepted,
        base: BaseState,
    ) -> WorkNext {
        let by = accepted.candidate.by.clone();
        let next = match &mut self.review {
            Some(review) => Some(review.go_on(base, by, context.now)),
            unstarted => {
                let config = loop_of(context);
                let started =
                    config.and_then(|config| ChangeReview::start(config, base, context.now));
                started.map(|(review, next)| {
                    *unstarted = Some(review);
                    next
                })
            }
        };
        self.follow_review(context, (accepted, base), next)
    }

    pub(super) fn on_reviewed(
        &mut self,
        context: &mut WorkContext<'_>,
        reviewed: (Accepted, BaseState),
        record: StepRecord<ReviewOut>,
    ) -> WorkNext {
        let taken = self.review.as_mut().map(|review| review.on_result(record));
        let (next, round) = taken.unzip();
        if let Some(round) = round.flatten() {
            self.last_review = Some(round.read.review);
            context
                .notices
                .push(TaskNotice::Reviewed(Box::new(Reviewed {
                    task: context.task.number,
                    attempt: self.attempt,
                    round,
                })));
        }
        self.follow_review(context, reviewed, next)
    }

    /// Does what the review asks for; each call of a reviewer has its part of the budget.
    pub(super) fn follow_review(
        &mut self,
        context: &mut WorkContext<'_>,
        (accepted, base): (Accepted, BaseState),
        next: Option<ReviewNext>,
    ) -> WorkNext {
        match next {
            Some(ReviewNext::Do(mut op)) => {
                if let ReviewOp::Review(args) = &mut *op {
                    let Some(allowance) = context.ledger.reserve(context.task.number) else {
                        self.unreviewed = Some(accepted.candidate);
                        return WorkNext::NotCalled;
                    };
                    args.allowance = allowance;
                }
                self.stage = Stage::Reviewing(accepted, base);
                let op = LaneOp::Review {
                    task: context.task.number,
                    attempt: self.attempt,
                    base,
                    op,
                };
                WorkNext::Do(self.next_review(), op)
            }
            Some(ReviewNext::Wait(delay)) => {
                self.stage = Stage::ReviewPausing(accepted, base);
                WorkNext::Wait(self.next_review(), delay)
            }
            Some(ReviewNext::Passed) => self.advance(context, accepted),
            Some(ReviewNext::Blocked { code, reason }) => {
                self.on_review_blocked(context, accepted, code, &reason)
            }
            Some(ReviewNext::Unexpected) | None => WorkNext::Unexpected,
        }
    }

    pub(super) fn next_review(&mut self) -> String {
        self.reviews += 1;
        numbered("review", self.attempt, self.reviews)
    }

    /// Parks the task, or has the agent try again where rounds alone are used up. What no
    /// reviewer judged is reviewed as it is once the run is resumed.
    pub(super) fn on_review_blocked(
        &mut self,
        context: &mut WorkContext<'_>,
        accepted: Accepted,
        block: BlockCode,
        reason: &str,
    ) -> WorkNext {
        let code = code_of_review(block);
        let reason = format!("the review of its change ended without a pass ({block}): {reason}");
        if code == AttemptCode::ReviewFailed {
            self.unreviewed = Some(accepted.candidate.clone());
        }
        let mut refusal = Refusal {
            feedback: self
                .last_review
                .filter(|_| code != AttemptCode::ReviewFailed),
            ran: accepted.ran,
            ..Refusal::of(code, reason)
        };
        if block != BlockCode::MaxIterations {
            refusal.follows = Follows::Nothing;
        }
        self.refuse(context, refusal.with(accepted.candidate))
    }
}

/// Returns the loop over the changes of a task.
fn loop_of(context: &WorkContext<'_>) -> Option<LoopConfig> {
    let config = LoopConfig::clone(context.options.review.as_deref()?);
    Some(LoopConfig {
        subject: Subject {
            recovery_actions: Vec::new(),
            ..Subject::new(
                format!("{} task {}", context.unit, context.task.number),
                context.task.path.clone(),
                CHANGE_FILE,
            )
        },
        // The attempts end it before, with the feedback of each round.
        max_iterations: context.options.attempts.saturating_add(1).get(),
        ..config
    })
}
