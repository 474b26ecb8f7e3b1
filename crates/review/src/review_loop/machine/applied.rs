//! The machine's operations for an applier, and its handling of their results.

use review_types::{BlockCode, Verdict};

use super::{Next, NextStep, ReviewMachine};
use crate::feedback::ExtraItems;
use crate::progress::FREE_ROUNDS;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{
    ApplyArgs, BaseState, Decided, PastReview, ReviewOp, ReviewOut, ScoreDrop,
};
use crate::review_loop::round::Round;
use review_flow::StepRecord;

impl ReviewMachine {
    /// Returns the operation that applies the feedback of the round at `at`.
    pub(super) fn application(&mut self, at: usize) -> Option<ReviewOp> {
        let round = self.rounds.get(at)?;
        Some(ReviewOp::Apply(ApplyArgs {
            round: PastReview {
                decisions: None,
                ..round.past()
            },
            extras: self.extras(at),
            base: self.config.base,
            retry: self.attempts.retry.clone(),
            insists: self.attempts.malformed == 0 && self.config.retry_on_malformed > 0,
            allowance: self.consumed.left(&self.config.budget),
        }))
    }

    /// Returns the extras for the items of the round at `at`.
    pub(super) fn extras(&self, at: usize) -> ExtraItems {
        let round = self.rounds.get(at);
        ExtraItems {
            below: round.map(|round| self.below(round)).unwrap_or_default(),
            dropped: self.dropped(at),
            regressed: self.has_regressed(at),
            unchanged: self.attempts.asked_for_change,
            blocking_only: round.is_some_and(|round| self.gets_blocking_only(round)),
            comments: self.comments.all,
        }
    }

    /// Returns whether the applier gets only the blocking items of a round: more edits
    /// cause more findings.
    fn gets_blocking_only(&self, round: &Round) -> bool {
        let is_late = round.iteration > FREE_ROUNDS;
        self.config.convergence.is_some() && is_late && round.read.verdict == Verdict::NeedsRevision
    }

    /// Returns whether the check of the project fails in the round at `at` and passed
    /// in the previous one.
    fn has_regressed(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.rounds.get(before));
        let (Some(before), Some(round), Some(_)) =
            (before, self.rounds.get(at), self.config.convergence)
        else {
            return false;
        };
        before.read.passes_check() && !round.read.passes_check()
    }

    /// Returns the criteria whose score fell from the previous round to that at `at`.
    fn dropped(&self, at: usize) -> Vec<ScoreDrop> {
        let before = at.checked_sub(1).and_then(|before| self.rounds.get(before));
        let (Some(before), Some(round), Some(_)) =
            (before, self.rounds.get(at), self.config.convergence)
        else {
            return Vec::new();
        };
        let names = self.config.criteria.names().into_iter();
        let dropped = names.filter_map(|criterion| {
            let now = round.read.scores.get(criterion.as_str())?;
            let before = before.read.scores.get(criterion.as_str())?;
            (now < before).then_some(ScoreDrop {
                criterion,
                before,
                now,
            })
        });
        dropped.collect()
    }

    /// Reports changes of appliers that were undone.
    pub(super) fn report_undone(&mut self, result: &StepRecord<ReviewOut>) {
        let Some(base) = self.config.base else { return };
        for found in &result.undone {
            self.notices.push(ReviewNotice::Undone {
                iteration: self.iteration() - 1,
                base: base.manifest,
                found: *found,
            });
        }
    }

    /// Handles the result of applying the feedback of the round at `at`. Decisions that a
    /// reminder leaves as they were are not reported again.
    pub(super) fn on_applied(
        &mut self,
        at: usize,
        after: Option<BaseState>,
        decided: Option<Decided>,
    ) -> NextStep {
        let extras = self.extras(at);
        if let Some(decided) = decided
            && let Some(round) = self.rounds.get_mut(at)
            && round.decided.replace(decided) != Some(decided)
        {
            let round = round.clone();
            let noted = ReviewNotice::Decided(round, extras, decided);
            self.notices.push(noted);
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
        }
        self.start(Next::Review)
    }

    /// Asks the reviewer again if the applier rejected every item with a reason: what
    /// is raised again is disputed. Otherwise calls the applier once more.
    fn on_unchanged(&mut self, decided: Option<Decided>) -> NextStep {
        let is_rejected = decided.is_some_and(|decided| decided.counts.are_all_rejected());
        if is_rejected {
            return self.start(Next::Review);
        }
        if !std::mem::replace(&mut self.attempts.asked_for_change, true) {
            return self.ask();
        }
        self.go_to(self.next);
        self.block(
            BlockCode::NoChange,
            "the applier left the artifact unchanged, also after a reminder".to_owned(),
        )
    }

    /// Returns the number of the earliest round that counts and had this artifact.
    fn round_of(&self, state: BaseState) -> Option<u32> {
        let mut rounds = self.rounds.get(self.since..)?.iter();
        let is_about = |base: BaseState| base.artifact == state.artifact;
        let found = rounds.find(|round| round.artifact.is_some_and(is_about));
        found.map(|round| round.iteration)
    }
}
