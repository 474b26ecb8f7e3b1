//! Groups around leaders: each group is led by the sum of what is in it.

use std::cmp::Reverse;
use std::collections::HashMap;

/// Weighted terms, whose squares add up to 1.
pub(super) type Terms = Vec<(u32, f32)>;

/// The similarity from which on a form joins a group, and a group another one.
const SIMILAR: f32 = 0.2;
/// The maximum number of groups; what is similar to none of them is in no group.
const MAX_GROUPS: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct Leaders {
    /// The weight of each term in each group.
    of_term: HashMap<u32, HashMap<usize, f32>>,
    groups: Vec<Group>,
}

#[derive(Debug, Default)]
struct Group {
    terms: HashMap<u32, f32>,
    entries: f32,
    /// The sum of the squares of its weights.
    square: f32,
}

impl Leaders {
    /// Groups vectors, those with most entries first, and returns the group of each.
    pub(super) fn group(vectors: &[Terms], counts: &[f32]) -> (Vec<Option<usize>>, Self) {
        let mut order: Vec<usize> = (0..vectors.len()).collect();
        order.sort_by(|a, b| counts[*b].total_cmp(&counts[*a]).then(a.cmp(b)));
        let mut leaders = Self::default();
        let mut groups = vec![None; vectors.len()];
        for at in order {
            let group = leaders.nearest(&vectors[at]).or_else(|| leaders.start());
            if let Some(group) = group {
                leaders.add(group, &vectors[at], counts[at]);
            }
            groups[at] = group;
        }
        (groups, leaders)
    }

    /// The leaders of known groups.
    pub(super) fn of(vectors: &[Terms], counts: &[f32], groups: &[Option<usize>]) -> Self {
        let mut leaders = Self::default();
        let count = groups.iter().flatten().max().map_or(0, |last| last + 1);
        leaders.groups.resize_with(count, Group::default);
        for ((vector, entries), group) in vectors.iter().zip(counts).zip(groups) {
            if let Some(group) = group {
                leaders.add(*group, vector, *entries);
            }
        }
        leaders
    }

    pub(super) fn count(&self) -> usize {
        self.groups.len()
    }

    /// The groups of vectors after similar groups have joined.
    pub(super) fn united(&self, groups: &[Option<usize>]) -> Vec<Option<usize>> {
        let sums = self.groups.iter().map(|group| {
            let mut terms: Terms = group.terms.iter().map(|(term, of)| (*term, *of)).collect();
            terms.sort_unstable_by_key(|(term, _)| *term);
            normalized(terms.into_iter())
        });
        let counts: Vec<f32> = self.groups.iter().map(|group| group.entries).collect();
        let (of_group, _) = Self::group(&sums.collect::<Vec<_>>(), &counts);
        groups.iter().map(|group| of_group[(*group)?]).collect()
    }

    /// The group that is most similar, if it is similar enough; the first in case of a tie.
    pub(super) fn nearest(&self, vector: &Terms) -> Option<usize> {
        let mut products: HashMap<usize, f32> = HashMap::new();
        for (term, weight) in vector {
            for (group, of_group) in self.of_term.get(term).into_iter().flatten() {
                *products.entry(*group).or_default() += weight * of_group;
            }
        }
        let similar = products.into_iter().map(|(group, product)| {
            let square = self.groups[group].square.max(f32::MIN_POSITIVE);
            (product / square.sqrt(), Reverse(group))
        });
        let similar = similar.filter(|(similarity, _)| *similarity >= SIMILAR);
        let nearest = similar.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.map(|(_, Reverse(group))| group)
    }

    /// A new group; `None` if there are too many.
    fn start(&mut self) -> Option<usize> {
        (self.groups.len() < MAX_GROUPS).then(|| {
            self.groups.push(Group::default());
            self.groups.len() - 1
        })
    }

    fn add(&mut self, at: usize, vector: &Terms, entries: f32) {
        let group = &mut self.groups[at];
        group.entries += entries;
        for (term, weight) in vector {
            let of_group = group.terms.entry(*term).or_default();
            let before = *of_group;
            *of_group += weight * entries;
            group.square += *of_group * *of_group - before * before;
            self.of_term.entry(*term).or_default().insert(at, *of_group);
        }
    }
}

/// Scales weights so that their squares add up to 1; leaves out those that are 0.
pub(super) fn normalized(terms: impl Iterator<Item = (u32, f32)>) -> Terms {
    let mut terms: Terms = terms.filter(|(_, weight)| *weight > 0.0).collect();
    let squares: f32 = terms.iter().map(|(_, weight)| weight * weight).sum();
    for (_, weight) in &mut terms {
        *weight /= squares.sqrt();
    }
    terms
}
