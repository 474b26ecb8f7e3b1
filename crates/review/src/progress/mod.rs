//! Whether a loop makes progress, from the results of its rounds.
//!
//! Everything here is a pure function of the rounds: which one is the best, and how
//! many closed nothing.

mod rank;

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

pub(crate) use rank::Rank;

/// The number of first rounds in which new findings are free.
pub(crate) const FREE_ROUNDS: u32 = 2;

/// The number of later rounds that may bring only new, unproved findings.
pub(crate) const UNPROVED_ROUNDS: u32 = 3;

/// When a loop counts as stalled, and which artifact it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// The number of rounds in a row that close no blocking finding of the previous
    /// round after which the loop has stagnated.
    pub patience: NonZeroU32,
    /// Which artifact is on disk when the loop ends without a pass.
    pub keep: Keep,
}

impl Default for Convergence {
    fn default() -> Self {
        Self {
            patience: NonZeroU32::MIN.saturating_add(2),
            keep: Keep::default(),
        }
    }
}

/// Which artifact is on disk when a loop ends without a pass.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// The artifact of the best round.
    #[default]
    Best,
    /// The artifact that the last applier left.
    Last,
}

/// The result of a round, for measuring progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundProgress {
    /// Its rank.
    pub(crate) rank: Rank,
    /// Whether the first reviewer of the chain gave it.
    pub(crate) first_choice: bool,
    /// The number of findings that blocked the previous round and no longer do.
    pub(crate) closed: u32,
}

/// Returns the rounds that compete with each other, with their positions: those of
/// the first reviewer of the chain, or all if it gave none.
fn competing(rounds: &[RoundProgress]) -> impl Iterator<Item = (usize, Rank)> {
    let only_first = rounds.iter().any(|round| round.first_choice);
    let all = rounds.iter().enumerate();
    all.filter(move |(_, round)| round.first_choice || !only_first)
        .map(|(at, round)| (at, round.rank))
}

/// Returns the position of the best round; of equal ones, the latest.
pub(crate) fn best(rounds: &[RoundProgress]) -> Option<usize> {
    let best = competing(rounds).max_by_key(|(_, rank)| *rank);
    best.map(|(at, _)| at)
}

/// Returns the number of rounds in a row, up to the last one, that closed nothing.
/// Only rounds with a previous one after the position `since` count.
pub(crate) fn stalled(rounds: &[RoundProgress], since: usize) -> u32 {
    let after_another = rounds.iter().skip(since.saturating_add(1));
    let stalled = after_another.rev().take_while(|round| round.closed == 0);
    u32::try_from(stalled.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use review_flow::hash_bytes;
    use review_types::Score;
    use review_types::criteria::Criteria;

    use super::*;
    use crate::review_loop::ReadReview;

    fn attained(score: i64, first_choice: bool) -> RoundProgress {
        let criteria = Criteria::default();
        let names = criteria.names().into_iter();
        let scores = names
            .map(|name| (name, Score::new(score).unwrap()))
            .collect();
        let read = ReadReview {
            scores,
            ..ReadReview::passed(hash_bytes(b"review"))
        };
        RoundProgress {
            rank: Rank::of(1, &read, &criteria),
            first_choice,
            closed: 0,
        }
    }

    fn rounds(scores: &[i64]) -> Vec<RoundProgress> {
        scores.iter().map(|score| attained(*score, true)).collect()
    }

    #[test]
    fn of_equal_rounds_the_later_is_the_best() {
        assert_eq!(best(&[]), None);
        assert_eq!(best(&rounds(&[20, 20])), Some(1));
        assert_eq!(best(&rounds(&[20, 21, 21, 3])), Some(2));
    }

    #[test]
    fn a_fallback_competes_only_if_the_first_reviewer_never_answered() {
        let stand_in = attained(90, false);
        assert_eq!(best(&[stand_in]), Some(0));
        let mixed = [attained(10, true), stand_in, stand_in, stand_in];
        assert_eq!(best(&mixed), Some(0));
    }

    #[test]
    fn rounds_that_close_nothing_are_counted_from_the_last_one_that_closed_something() {
        let rounds = |closed: &[u32]| -> Vec<RoundProgress> {
            let of = |closed: &u32| RoundProgress {
                closed: *closed,
                ..attained(50, true)
            };
            closed.iter().map(of).collect()
        };
        for (closed, since, expected) in [
            (&[][..], 0, 0),
            (&[0], 0, 0),
            (&[0, 0], 0, 1),
            (&[0, 0, 0, 0], 0, 3),
            (&[0, 2, 0, 0], 0, 2),
            (&[0, 0, 0, 1], 0, 0),
            (&[0, 0, 0, 0], 1, 2),
            (&[0, 0, 0, 0], 3, 0),
            (&[0, 0, 0, 0], 9, 0),
        ] {
            assert_eq!(
                stalled(&rounds(closed), since),
                expected,
                "{closed:?} {since}"
            );
        }
    }
}
