//! Whether a loop gets anywhere, from what its rounds came to.
//!
//! Everything here is a pure function of the rounds: which one is the best, how
//! long nothing was closed, and whether the scores go back and forth.

mod standing;

use serde::{Deserialize, Serialize};

pub(crate) use standing::Standing;

/// How a loop notices that it goes nowhere, and what it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// Rounds in a row that close no blocking finding of the round before, after
    /// which the loop has stagnated; 0 for never.
    pub patience: u32,
    /// What is on disk when the loop ends without a pass.
    pub keep: Keep,
    /// The first rounds, in which new findings cost nothing.
    pub free_rounds: u32,
    /// How many later rounds may bring only new findings that nothing proves;
    /// `None` for any number.
    pub unproved_rounds: Option<u32>,
}

impl Default for Convergence {
    fn default() -> Self {
        Self {
            patience: 3,
            keep: Keep::default(),
            free_rounds: 2,
            unproved_rounds: Some(3),
        }
    }
}

impl Convergence {
    /// Whether a round comes after the free ones.
    pub(crate) const fn is_late(&self, iteration: u32) -> bool {
        iteration > self.free_rounds
    }

    /// Whether so many rounds with only new, unproved findings are too many.
    pub(crate) fn is_overspent(&self, spent: u32) -> bool {
        self.unproved_rounds.is_some_and(|allowed| spent > allowed)
    }
}

/// What is on disk when a loop ends without a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// The artifact of the best round.
    #[default]
    Best,
    /// What the last applier left.
    Last,
}

/// A round as far as progress goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attained {
    /// What it is worth.
    pub(crate) standing: Standing,
    /// Whether the reviewer of first choice gave it.
    pub(crate) first_choice: bool,
    /// How much of what kept the round before from passing no longer does.
    pub(crate) closed: u32,
}

/// How many of the last changes of the sum can make an oscillation.
const DELTAS: usize = 4;

/// The rounds that compete with each other, with their positions: those of the
/// reviewer of first choice, or all if it gave none.
fn competing(rounds: &[Attained]) -> impl Iterator<Item = (usize, Standing)> {
    let only_first = rounds.iter().any(|round| round.first_choice);
    let all = rounds.iter().enumerate();
    all.filter(move |(_, round)| round.first_choice || !only_first)
        .map(|(at, round)| (at, round.standing))
}

/// The position of the best round; of equal ones the earliest.
pub(crate) fn best(rounds: &[Attained]) -> Option<usize> {
    let better = |best: (usize, Standing), next: (usize, Standing)| {
        if next.1 > best.1 { next } else { best }
    };
    competing(rounds).reduce(better).map(|(at, _)| at)
}

/// How many of the last rounds closed nothing, one after the other: those that
/// have a round before them behind the position `since`.
pub(crate) fn stalled(rounds: &[Attained], since: usize) -> u32 {
    let after_another = rounds.iter().skip(since.saturating_add(1));
    let stalled = after_another.rev().take_while(|round| round.closed == 0);
    u32::try_from(stalled.count()).unwrap_or(u32::MAX)
}

/// Whether the sum of the scores turned at least twice by more than a point
/// within its last four changes, none of them before the position `since`,
/// without a new best among them.
pub(crate) fn oscillates(rounds: &[Attained], since: usize) -> bool {
    let sums: Vec<_> = competing(rounds)
        .filter(|(at, _)| *at >= since)
        .map(|(at, standing)| (at, i64::from(standing.sum())))
        .collect();
    let last = &sums[sums.len().saturating_sub(DELTAS + 1)..];
    let deltas = last.windows(2).map(|pair| pair[1].1 - pair[0].1);
    let turning: Vec<_> = deltas.filter(|delta| delta.abs() > 1).collect();
    let turns = turning.windows(2).filter(|pair| pair[0] * pair[1] < 0);
    let best = best(rounds);
    let is_new_best = |(at, _): &(usize, i64)| Some(*at) == best;
    turns.count() >= 2 && !last.iter().skip(1).any(is_new_best)
}

#[cfg(test)]
mod tests {
    use review_criteria::Criteria;
    use review_types::{Score, Scores};

    use super::*;

    fn attained(score: i64, first_choice: bool) -> Attained {
        let criteria = Criteria::default();
        let names = criteria.names().into_iter();
        let scores: Scores = names
            .map(|name| (name, Score::new(score).unwrap()))
            .collect();
        Attained {
            standing: Standing::new(1, &scores, &criteria),
            first_choice,
            closed: 0,
        }
    }

    fn rounds(scores: &[i64]) -> Vec<Attained> {
        scores.iter().map(|score| attained(*score, true)).collect()
    }

    #[test]
    fn of_equal_rounds_the_earlier_is_the_best() {
        assert_eq!(best(&[]), None);
        assert_eq!(best(&rounds(&[20, 20])), Some(0));
        assert_eq!(best(&rounds(&[20, 21, 21, 3])), Some(1));
    }

    #[test]
    fn a_stand_in_competes_only_where_the_first_choice_never_answered() {
        let stand_in = attained(90, false);
        assert_eq!(best(&[stand_in]), Some(0));
        let mixed = [attained(10, true), stand_in, stand_in, stand_in];
        assert_eq!(best(&mixed), Some(0));
    }

    #[test]
    fn rounds_that_close_nothing_are_counted_from_the_last_one_that_closed_something() {
        let rounds = |closed: &[u32]| -> Vec<Attained> {
            let of = |closed: &u32| Attained {
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

    #[test]
    fn a_budget_without_a_limit_is_never_overspent() {
        let limited = Convergence::default();
        assert!(!limited.is_late(2) && limited.is_late(3));
        assert!(!limited.is_overspent(3) && limited.is_overspent(4));
        let unlimited = Convergence {
            unproved_rounds: None,
            ..limited
        };
        assert!(!unlimited.is_overspent(u32::MAX));
    }

    #[test]
    fn two_turns_in_the_last_four_changes_are_an_oscillation() {
        assert!(!oscillates(&rounds(&[80, 60, 80]), 0));
        assert!(oscillates(&rounds(&[80, 60, 80, 60]), 0));
        assert!(!oscillates(&rounds(&[80, 60, 80, 60]), 1));
        assert!(oscillates(&rounds(&[90, 80, 60, 80, 60, 80]), 0));
        assert!(!oscillates(&rounds(&[95, 60, 90, 60, 50, 40, 30]), 0));
        assert!(!oscillates(&rounds(&[]), 0));
    }

    #[test]
    fn four_changes_count_whatever_their_sizes() {
        assert!(oscillates(&rounds(&[80, 60, 80, 80, 60]), 0));
        assert!(!oscillates(&rounds(&[80, 60, 80, 60, 60, 60]), 0));
        assert!(oscillates(&rounds(&[95, 50, 52, 40, 60]), 0));
    }

    #[test]
    fn a_new_best_is_no_oscillation() {
        assert!(!oscillates(&rounds(&[60, 50, 70, 60]), 0));
        assert!(oscillates(&rounds(&[60, 50, 60, 50]), 0));
    }

    #[test]
    fn a_turn_of_a_single_point_does_not_count() {
        let sums = |values: &[u32]| -> Vec<Attained> {
            let criteria = Criteria::default();
            let of = |sum: &u32| {
                let names = criteria.names().into_iter();
                let rest = names.zip([i64::from(*sum), 9, 9, 9]);
                let scores = rest.map(|(name, value)| (name, Score::new(value).unwrap()));
                Attained {
                    standing: Standing::new(1, &scores.collect(), &criteria),
                    first_choice: true,
                    closed: 0,
                }
            };
            values.iter().map(of).collect()
        };
        assert!(!oscillates(&sums(&[50, 49, 50, 49]), 0));
        assert!(oscillates(&sums(&[50, 48, 50, 48]), 0));
    }
}
