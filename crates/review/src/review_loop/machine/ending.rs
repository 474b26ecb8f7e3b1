//! Ends a blocked loop with its best round on disk.

use review_events::{BestRound, ReviewBlocked};
use review_types::{BlockCode, Hash};

use super::{Next, NextStep, ReviewMachine};
use crate::progress::{self, Keep};
use crate::review_loop::config::Subject;
use crate::review_loop::notice::ReviewNotice;
use crate::review_loop::op::{BaseState, RestoreArgs, ReviewDone, ReviewOp};
use crate::review_loop::round::Round;

/// Maximum number of earlier rounds that are listed when an artifact is restored.
const MAX_ROUNDS: usize = 512;

/// An end that waits until the best artifact is restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    code: BlockCode,
    reason: String,
    /// Position of the best round.
    best: usize,
}

impl ReviewMachine {
    /// Ends the loop with the artifact of its best round on disk.
    pub(super) fn block(&mut self, code: BlockCode, reason: String) -> NextStep {
        let Some(best) = self.best_to_keep(code) else {
            return self.end(code, reason, None);
        };
        let Some((to, base)) = self.misplaced(best) else {
            let kept = self.best_round(best, false, Vec::new());
            return self.end(code, reason, kept);
        };
        self.ending = Some(Ending { code, reason, best });
        let rounds = self.manifests();
        let op = ReviewOp::Restore(RestoreArgs { to, base, rounds });
        self.open_step(format_args!("restore-{}", self.rounds.len()), op)
    }

    pub(super) fn on_restored(&mut self, after: Option<BaseState>, left: Vec<String>) -> NextStep {
        let Some(Ending { code, reason, best }) = self.ending.take() else {
            return self.unexpected("an artifact");
        };
        self.config.base = after.or(self.config.base);
        self.go_to(Next::Apply(best));
        let kept = self.best_round(best, true, left);
        self.end(code, reason, kept)
    }

    fn end(&mut self, code: BlockCode, reason: String, best: Option<BestRound>) -> NextStep {
        let Subject {
            path,
            recovery_actions,
            ..
        } = self.config.subject.clone();
        let blocked = ReviewBlocked {
            code,
            reason: reason.clone(),
            iterations: Vec::new(),
            recovery_actions,
            path,
            best,
            applier_error: self.applier_error.take(),
        };
        self.notices
            .push(ReviewNotice::Blocked(blocked, self.rounds.clone()));
        NextStep::Done(ReviewDone::Blocked { code, reason })
    }

    /// Returns the position of the round to restore for this end. Changes of another
    /// process are never overwritten, and what an applier did is kept for the reviewer
    /// that could not be asked about it.
    fn best_to_keep(&self, code: BlockCode) -> Option<usize> {
        let keep = self.config.convergence?.keep;
        let is_unreviewed = code.is_failure() && self.next == Next::Review;
        let keeps = keep == Keep::Best
            && self.config.applies
            && code != BlockCode::ArtifactChanged
            && !is_unreviewed;
        let best = progress::best(&self.attained()).filter(|_| keeps)?;
        Some(self.base_since + best)
    }

    /// Returns the artifact of the round at `best` and that on disk, if they differ.
    fn misplaced(&self, best: usize) -> Option<(BaseState, BaseState)> {
        let to = self.rounds.get(best)?.artifact?;
        let base = self.config.base?;
        (to.artifact != base.artifact).then_some((to, base))
    }

    /// Returns the manifests of all rounds since a user changed the artifact, each once.
    fn manifests(&self) -> Vec<Hash> {
        let known = self.rounds.iter().skip(self.base_since);
        let known = known.rev().take(MAX_ROUNDS);
        let mut known: Vec<_> = known
            .filter_map(|round| Some(round.artifact?.manifest))
            .collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    fn best_round(&self, best: usize, restored: bool, left: Vec<String>) -> Option<BestRound> {
        let round: &Round = self.rounds.get(best)?;
        round.artifact.map(|_| BestRound {
            iteration: round.iteration,
            standing: round.progress.rank.to_string(),
            restored,
            left,
        })
    }
}
