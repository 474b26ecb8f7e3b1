//! Directed graphs over small integers, with linear-time algorithms.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A graph of nodes `0..len`, whose edges are stored in one list.
///
/// An edge from `a` to `b` means that `a` must come before `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edges {
    first: Vec<usize>,
    targets: Vec<usize>,
}

impl Edges {
    pub(crate) fn new(len: usize, edges: &[(usize, usize)]) -> Self {
        let mut first = vec![0; len + 1];
        for &(from, _) in edges {
            first[from + 1] += 1;
        }
        for node in 0..len {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Self { first, targets }
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Returns the number of nodes and edges.
    pub(super) fn size(&self) -> usize {
        self.len() + self.targets.len()
    }

    /// Returns the nodes that must come after `node`.
    pub(super) fn targets(&self, node: usize) -> &[usize] {
        &self.targets[self.first[node]..self.first[node + 1]]
    }

    /// Returns an order in which every node comes after those before it, the lowest
    /// ready node first. Nodes on a cycle and after one are missing.
    pub(crate) fn order(&self) -> Vec<usize> {
        let mut waiting = vec![0usize; self.len()];
        for &target in &self.targets {
            waiting[target] += 1;
        }
        let ready = (0..self.len()).filter(|&node| waiting[node] == 0);
        let mut ready: BinaryHeap<_> = ready.map(Reverse).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for &target in self.targets(node) {
                waiting[target] -= 1;
                if waiting[target] == 0 {
                    ready.push(Reverse(target));
                }
            }
        }
        order
    }

    /// Returns every node that can be reached from `start`, without `start`, in order.
    pub(crate) fn reachable(&self, start: usize) -> Vec<usize> {
        let mut seen = vec![false; self.len()];
        seen[start] = true;
        let mut found = Vec::new();
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for &target in self.targets(node) {
                if !std::mem::replace(&mut seen[target], true) {
                    found.push(target);
                    open.push(target);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns one shortest cycle through the lowest node of each group of nodes that
    /// can all reach one another. An edge from a node to itself is a cycle too.
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        let groups = self.groups();
        let mut seen = vec![false; self.len()];
        let mut cycles = Vec::new();
        for node in 0..self.len() {
            if !std::mem::replace(&mut seen[groups[node]], true) {
                cycles.extend(self.cycle_through(node, &groups));
            }
        }
        cycles
    }

    /// Searches breadth first within the group of `start`, back to `start`.
    fn cycle_through(&self, start: usize, groups: &[usize]) -> Option<Vec<usize>> {
        let is_in_group = |target: &usize| groups[*target] == groups[start];
        if !self.targets(start).iter().any(is_in_group) {
            return None;
        }
        let mut came_from = std::collections::HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for &target in self.targets(node) {
                if target == start {
                    let mut path = vec![start];
                    let mut at = node;
                    while at != start {
                        path.push(at);
                        at = came_from[&at];
                    }
                    path.push(start);
                    path.reverse();
                    return Some(path);
                }
                if is_in_group(&target) && !came_from.contains_key(&target) {
                    came_from.insert(target, node);
                    open.push_back(target);
                }
            }
        }
        None
    }

    /// Returns for each node a number shared by exactly those nodes that it can reach
    /// and that can reach it (Tarjan, with an explicit stack).
    fn groups(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let mut index = vec![UNSEEN; self.len()];
        let mut low = vec![0; self.len()];
        let mut group = vec![UNSEEN; self.len()];
        let mut path: Vec<usize> = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let mut count = 0;
        for root in 0..self.len() {
            if index[root] == UNSEEN {
                calls.push((root, 0));
            }
            while let Some((node, edge)) = calls.pop() {
                if edge == 0 {
                    index[node] = count;
                    low[node] = count;
                    count += 1;
                    path.push(node);
                }
                match self.targets(node).get(edge) {
                    Some(&target) => {
                        calls.push((node, edge + 1));
                        if index[target] == UNSEEN {
                            calls.push((target, 0));
                        } else if group[target] == UNSEEN {
                            low[node] = low[node].min(index[target]);
                        }
                    }
                    None => {
                        if let Some(&(parent, _)) = calls.last() {
                            low[parent] = low[parent].min(low[node]);
                        }
                        if low[node] == index[node] {
                            while let Some(member) = path.pop() {
                                group[member] = node;
                                if member == node {
                                    break;
                                }
                            }
                        }
                    }
                }
            }
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_lowest_ready_node_comes_first() {
        let edges = Edges::new(5, &[(4, 0), (3, 1), (0, 2)]);
        assert_eq!(edges.order(), [3, 1, 4, 0, 2]);
        assert_eq!(edges.cycles(), [[0; 0]; 0]);
    }

    #[test]
    fn nodes_on_and_after_a_cycle_are_not_ordered() {
        let edges = Edges::new(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(edges.order(), [0]);
        assert_eq!(edges.cycles(), [[1, 2, 1]]);
    }

    #[test]
    fn each_component_has_one_shortest_cycle_from_its_lowest_node() {
        let knot = [(1, 2), (2, 3), (3, 1), (2, 1), (4, 4), (5, 6), (6, 5)];
        let edges = Edges::new(7, &knot);
        assert_eq!(edges.cycles(), [vec![1, 2, 1], vec![4, 4], vec![5, 6, 5]]);
    }

    #[test]
    fn the_reachable_nodes_do_not_include_the_start() {
        let edges = Edges::new(5, &[(0, 1), (1, 2), (2, 0), (3, 4)]);
        assert_eq!(edges.reachable(0), [1, 2]);
        assert_eq!(edges.reachable(4), [0; 0]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let chain: Vec<_> = (0..200_000)
            .map(|node| (node, (node + 1) % 200_000))
            .collect();
        let edges = Edges::new(200_000, &chain);
        assert_eq!(
            edges.cycles().iter().map(Vec::len).collect::<Vec<_>>(),
            [200_001]
        );
        assert_eq!(edges.order(), [0; 0]);
    }

    /// All pairs, by trying every middle node.
    fn closure(len: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; len]; len];
        for &(from, to) in edges {
            reach[from][to] = true;
        }
        for middle in 0..len {
            for from in 0..len {
                for to in 0..len {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn a_random_graph_agrees_with_its_closure(
            list in prop::collection::vec((0usize..9, 0usize..9), 0..16),
        ) {
            let edges = Edges::new(9, &list);
            let reach = closure(9, &list);
            let stuck = |node: usize| (0..9).any(|other| reach[other][other] && (other == node || reach[other][node]));
            let order = edges.order();
            let free: Vec<_> = (0..9).filter(|&node| !stuck(node)).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, free);
            let position = |node| order.iter().position(|&found| found == node);
            for &(from, to) in &list {
                if let (Some(from), Some(to)) = (position(from), position(to)) {
                    prop_assert!(from < to);
                }
            }
            for (start, row) in reach.iter().enumerate() {
                let expected: Vec<_> = (0..9).filter(|&node| node != start && row[node]).collect();
                prop_assert_eq!(edges.reachable(start), expected);
            }
            let cycles = edges.cycles();
            for cycle in &cycles {
                prop_assert_eq!(cycle.first(), cycle.last());
                prop_assert!(cycle.windows(2).all(|edge| list.contains(&(edge[0], edge[1]))));
            }
            let lowest: Vec<_> = (0..9)
                .filter(|&node| reach[node][node])
                .filter(|&node| (0..node).all(|other| !(reach[node][other] && reach[other][node])))
                .collect();
            let starts: Vec<_> = cycles.iter().map(|cycle| cycle[0]).collect();
            prop_assert_eq!(starts, lowest);
        }
    }
}
