//! Answers for many pairs of tasks which of the two comes first.

use std::collections::HashSet;

use super::Edges;

/// Maximum cost of one batch of questions, as a multiple of the size of the graph.
const MAX_PASSES: usize = 64;

/// Marks a node without a position in the order.
const NONE: usize = usize::MAX;

/// The transitive dependencies among tasks.
///
/// Tasks are identified by their position in the list that the graph was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precedence {
    pub(super) edges: Edges,
    /// All tasks that are neither on a cycle nor after one.
    pub(super) order: Vec<usize>,
    positions: Vec<usize>,
}

impl Precedence {
    /// Computes the order of the edges.
    pub(super) fn new(edges: Edges) -> Self {
        let order = edges.order();
        let mut positions = vec![NONE; edges.len()];
        for (position, &task) in order.iter().enumerate() {
            positions[task] = position;
        }
        Self {
            edges,
            order,
            positions,
        }
    }

    /// Returns the position of a task in one order that respects all dependencies;
    /// `None` for a task on a cycle or after one.
    ///
    /// A dependency of a task on one with a lower position closes no cycle.
    pub fn position(&self, task: usize) -> Option<usize> {
        let position = self.positions.get(task).copied();
        position.filter(|&position| position != NONE)
    }

    /// Returns for each pair whether the second task waits for the first, directly or
    /// not; `None` if that is unknown: for tasks on a cycle or after one,
    /// and for pairs whose answer would cost too much.
    ///
    /// Each first task is followed along the part of the order between the pairs, and all
    /// pairs together cost at most 64 times the size of the graph: pairs of near tasks, as
    /// in a chain, are all answered.
    pub fn waits(&self, pairs: &[(usize, usize)]) -> Vec<Option<bool>> {
        let mut answers = vec![None; pairs.len()];
        let mut open = Vec::with_capacity(pairs.len());
        for (index, &(first, second)) in pairs.iter().enumerate() {
            match (self.position(first), self.position(second)) {
                (Some(first), Some(second)) if first < second => open.push((first, second, index)),
                (Some(_), Some(_)) => answers[index] = Some(false),
                _ => {}
            }
        }
        open.sort_unstable();
        let mut budget = MAX_PASSES * (self.edges.size() + 1);
        for asked in open.chunk_by(|one, other| one.0 == other.0) {
            let end = asked.last().map_or(0, |(_, second, _)| *second);
            let Some(reached) = self.reached(asked[0].0, end, &mut budget) else {
                break;
            };
            for (_, second, index) in asked {
                answers[*index] = Some(reached.contains(second));
            }
        }
        answers
    }

    /// Returns the positions up to `end` that come after one; `None` if the budget ends.
    fn reached(&self, start: usize, end: usize, budget: &mut usize) -> Option<HashSet<usize>> {
        let mut reached = HashSet::new();
        let mut open = vec![start];
        while let Some(position) = open.pop() {
            let targets = self.edges.targets(self.order[position]);
            *budget = budget.checked_sub(targets.len() + 1)?;
            for target in targets.iter().map(|&target| self.positions[target]) {
                if target <= end && reached.insert(target) {
                    open.push(target);
                }
            }
        }
        Some(reached)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn precedence(len: usize, edges: &[(usize, usize)]) -> Precedence {
        Precedence::new(Edges::new(len, edges))
    }

    #[test]
    fn a_task_waits_for_those_that_it_can_be_reached_from() {
        let found = precedence(5, &[(0, 1), (1, 2), (3, 2)]);
        let pairs = [(0, 1), (0, 2), (3, 2), (0, 3), (2, 0), (1, 1), (4, 0)];
        let expected = [true, true, true, false, false, false, false].map(Some);
        assert_eq!(found.waits(&pairs), expected);
        assert_eq!(found.waits(&[]), []);
    }

    #[test]
    fn a_task_comes_after_those_that_it_waits_for() {
        let found = precedence(4, &[(2, 0), (0, 1)]);
        let positions: Vec<_> = (0..5).map(|task| found.position(task)).collect();
        assert_eq!(positions, [Some(1), Some(2), Some(0), Some(3), None]);
    }

    #[test]
    fn nothing_is_known_of_tasks_on_a_cycle_and_after_it() {
        let found = precedence(5, &[(0, 1), (1, 0), (1, 2), (3, 2), (3, 4)]);
        let pairs = [(0, 1), (3, 2), (2, 3), (3, 4), (9, 3)];
        assert_eq!(found.waits(&pairs), [None, None, None, Some(true), None]);
    }

    #[test]
    fn every_neighbour_in_a_long_chain_is_answered() {
        let chain: Vec<_> = (0..99_999).map(|task| (task, task + 1)).collect();
        let found = precedence(100_000, &chain);
        assert_eq!(found.waits(&chain), vec![Some(true); chain.len()]);
    }

    #[test]
    fn distant_pairs_are_answered_until_they_cost_too_much() {
        const LEN: usize = 20_000;
        let chain: Vec<_> = (0..LEN - 1).map(|task| (task, task + 1)).collect();
        let found = precedence(LEN, &chain);
        let pairs: Vec<_> = (0..LEN - 1).map(|task| (task, LEN - 1)).collect();
        let answered = found.waits(&pairs).iter().flatten().count();
        assert!(
            (MAX_PASSES..2 * MAX_PASSES).contains(&answered),
            "{answered}"
        );
    }

    proptest! {
        #[test]
        fn answers_agree_with_reachability(
            list in prop::collection::vec((0usize..90, 0usize..90), 0..180),
        ) {
            let list: Vec<_> = list.into_iter().filter(|(a, b)| a < b).collect();
            let edges = Edges::new(90, &list);
            let found = Precedence::new(edges.clone());
            let pairs: Vec<_> = (0..90).flat_map(|a| (0..90).map(move |b| (a, b))).collect();
            for (&(a, b), answer) in pairs.iter().zip(found.waits(&pairs)) {
                prop_assert_eq!(answer, Some(edges.reachable(a).contains(&b)), "{} {}", a, b);
            }
        }
    }
}
