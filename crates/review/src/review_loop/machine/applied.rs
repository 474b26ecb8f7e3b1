//! What the machine asks an applier for, and what it does about its work.

use review_types::{BlockCode, Verdict};

use super::{Asked, Next, ReviewMachine, Waiting};
use crate::edits::Edit;
use crate::feedback::Besides;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{BaseState, Decided, ReviewOp, ReviewOut, ScoreDrop, ToApply};
use crate::review_loop::round::Round;
use review_flow::StepRecord;

impl ReviewMachine {
    /// The operation that works in the feedback of the round at `at`.
    pub(super) fn application(&mut self, at: usize) -> Option<ReviewOp> {
        let Besides {
            below,
            dropped,
            regressed,
            unchanged,
            blocking_only,
            people,
        } = self.besides(at);
        let round = self.rounds.get(at)?;
        self.waiting = Waiting::Application;
        Some(ReviewOp::Apply(ToApply {
            iteration: round.iteration,
            review: round.review,
            below,
            base: self.config.base,
            dropped,
            regressed,
            unchanged,
            blocking_only,
            retry: self.retry.clone(),
            ledger: round.ledger,
            allowance: self.spent.left(&self.config.budget),
            people,
        }))
    }

    /// What the applier is asked for beside the items of the round at `at`.
    pub(super) fn besides(&self, at: usize) -> Besides {
        let round = self.rounds.get(at);
        Besides {
            below: round.map(|round| self.below(round)).unwrap_or_default(),
            dropped: self.dropped(at),
            regressed: self.has_regressed(at),
            unchanged: self.unchanged,
            blocking_only: round.is_some_and(|round| self.gets_blocking_only(round)),
            people: self.people.said,
        }
    }

    /// Whether the applier gets only what blocks of a round: more edits breed more
    /// findings.
    fn gets_blocking_only(&self, round: &Round) -> bool {
        let convergence = self.config.convergence;
        let is_late = convergence.is_some_and(|convergence| convergence.is_late(round.iteration));
        is_late && round.verdict == Verdict::NeedsRevision
    }

    /// Whether the check of the project fails in the round at `at` and passed in
    /// the one before.
    fn has_regressed(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.rounds.get(before));
        let (Some(before), Some(round), Some(_)) =
            (before, self.rounds.get(at), self.config.convergence)
        else {
            return false;
        };
        before.passes_check() && !round.passes_check()
    }

    /// The criteria whose score fell from the round before to that at `at`.
    fn dropped(&self, at: usize) -> Vec<ScoreDrop> {
        let before = at.checked_sub(1).and_then(|before| self.rounds.get(before));
        let (Some(before), Some(round), Some(_)) =
            (before, self.rounds.get(at), self.config.convergence)
        else {
            return Vec::new();
        };
        let names = self.config.criteria.names().into_iter();
        let dropped = names.filter_map(|criterion| {
            let now = round.scores.get(criterion.as_str())?;
            let before = before.scores.get(criterion.as_str())?;
            (now < before).then_some(ScoreDrop {
                criterion,
                before,
                now,
            })
        });
        dropped.collect()
    }

    /// Takes in what the applier made of the feedback that it was given.
    fn on_decided(&mut self, decided: Decided) {
        let Next::Apply(at) = self.next else { return };
        let besides = self.besides(at);
        if let Some(round) = self.rounds.get_mut(at) {
            round.decided = Some(decided);
            self.notices.push(ReviewNotice::Decided {
                round: round.clone(),
                besides,
                decided,
            });
        }
    }

    /// Tells what appliers left that was undone.
    pub(super) fn tell_undone(&mut self, result: &StepRecord<ReviewOut>) {
        let Some(base) = self.config.base else { return };
        for found in &result.undone {
            self.notices.push(ReviewNotice::Undone {
                iteration: self.iteration() - 1,
                base: base.manifest,
                found: *found,
            });
        }
    }

    pub(super) fn on_applied(
        &mut self,
        after: Option<BaseState>,
        decided: Option<Decided>,
        edits: Vec<Edit>,
    ) -> Asked {
        if let Some(decided) = decided {
            self.on_decided(decided);
        }
        let unchanged = match (self.config.base, after) {
            (Some(before), Some(after)) => before.artifact == after.artifact,
            _ => false,
        };
        self.config.base = after.or(self.config.base);
        if unchanged && self.config.stop_on_no_change {
            self.go_to(Next::Review);
            return self.block(
                BlockCode::NoChange,
                "the applier left the artifact as it was, so the reviewer would say the same again"
                    .to_owned(),
            );
        }
        if self.config.convergence.is_some() {
            if unchanged {
                return self.on_unchanged(decided);
            }
            if let Some(iteration) = after.and_then(|after| self.round_of(after)) {
                self.go_to(Next::Review);
                let reason = format!("the applier brought back the artifact of round {iteration}");
                return self.block(BlockCode::Oscillation, reason);
            }
            let iteration = self.iteration() - 1;
            if let Some(earlier) = self.followed.take(iteration, edits) {
                self.go_to(Next::Review);
                let reason = format!(
                    "the applier undid in round {iteration} what it had changed in round {earlier}"
                );
                return self.block(BlockCode::Oscillation, reason);
            }
        }
        self.start(Next::Review)
    }

    /// Asks the reviewer again when the applier gave a reason why it meets no item:
    /// what is raised again is disputed. Else the applier is asked once more.
    fn on_unchanged(&mut self, decided: Option<Decided>) -> Asked {
        let is_rejected = decided.is_some_and(|decided| decided.counts.are_all_rejected());
        if is_rejected {
            return self.start(Next::Review);
        }
        if !self.unchanged {
            self.unchanged = true;
            return self.ask();
        }
        self.go_to(self.next);
        self.block(
            BlockCode::NoChange,
            "the applier left the artifact as it was, also when it was told so".to_owned(),
        )
    }

    /// The number of the earliest round that counts and that was about this
    /// artifact.
    fn round_of(&self, state: BaseState) -> Option<u32> {
        let mut rounds = self.rounds.get(self.since..)?.iter();
        let is_about = |base: BaseState| base.artifact == state.artifact;
        let found = rounds.find(|round| round.artifact.is_some_and(is_about));
        found.map(|round| round.iteration)
    }
}
