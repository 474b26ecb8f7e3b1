//! Runs the checks that prove findings, before their round counts.

use super::{NextStep, ReviewMachine, Waiting};
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{CheckArgs, Checked, ReviewOp};
use crate::review_loop::round::Round;
use review_flow::StepName;

impl ReviewMachine {
    /// Returns the operation that runs the checks of a round of which this many items name
    /// one; `None` where neither they nor earlier findings do, or without an artifact.
    pub(super) fn checks_of(&mut self, round: &Round, named: u32) -> Option<NextStep> {
        if named == 0 && !self.has_confirmed {
            return None;
        }
        let join = self.join_args(round)?;
        self.waiting = Waiting::Checks;
        let step = format_args!("check-{}", round.iteration);
        Some(NextStep::Do {
            step: StepName::new("review", self.resume, step),
            op: Box::new(ReviewOp::Check(CheckArgs { join })),
        })
    }

    /// Makes the review after its checks the round.
    pub(super) fn on_checked(&mut self, checked: Checked) -> NextStep {
        let Some(round) = self.to_check.take() else {
            return self.unexpected("the results of checks without a round");
        };
        let round = Round {
            review: checked.review,
            verdict: checked.verdict,
            rank: self
                .rank(checked.items, &round.scores)
                .checked(round.passes_check()),
            checks: Some(checked.results),
            ..*round
        };
        if checked.overruled > 0 {
            self.notices.push(ReviewNotice::Overruled {
                iteration: round.iteration,
                facts: 0,
                confirmed: checked.overruled,
            });
        }
        self.on_read(round)
    }
}
