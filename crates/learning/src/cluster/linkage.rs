//! Average linkage: groups are joined while their texts are similar on average.

use std::collections::HashMap;

use super::micro::Group;

/// Groups are joined down to this mean similarity of their texts.
const JOINED: f32 = 0.1;

/// Returns, for each group, the index of the group that represents everything it was
/// joined with.
pub(super) fn joined(groups: &[Group]) -> Vec<usize> {
    let mut linkage = Linkage {
        means: Means::of(groups),
        sizes: groups.iter().map(|group| group.size as f32).collect(),
        parents: (0..groups.len()).collect(),
        open: (0..groups.len()).collect(),
    };
    linkage.join_all();
    linkage.roots()
}

/// The mean similarity of each pair of groups: the lower triangle of a matrix.
struct Means(Vec<f32>);

impl Means {
    fn of(groups: &[Group]) -> Self {
        let mut means = Self(vec![0.0; groups.len() * groups.len().saturating_sub(1) / 2]);
        let mut by_term: HashMap<u32, Vec<(usize, f32)>> = HashMap::new();
        for (at, group) in groups.iter().enumerate() {
            for (term, weight) in &group.sum {
                let weight = weight / group.size as f32;
                let others = by_term.entry(*term).or_default();
                for (other, of_other) in others.iter() {
                    *means.between(at, *other) += weight * of_other;
                }
                others.push((at, weight));
            }
        }
        means
    }

    fn between(&mut self, a: usize, b: usize) -> &mut f32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        &mut self.0[high * (high - 1) / 2 + low]
    }
}

struct Linkage {
    means: Means,
    sizes: Vec<f32>,
    /// The group that each group was joined to.
    parents: Vec<usize>,
    /// The groups that can still be joined.
    open: Vec<usize>,
}

impl Linkage {
    /// Follows the chain of nearest neighbours until two groups are each other's
    /// nearest. They are joined if they are similar enough; otherwise neither is ever
    /// joined, since a join never increases similarity to a third group beyond that of
    /// its nearer part.
    fn join_all(&mut self) {
        let mut chain: Vec<usize> = Vec::new();
        while let Some(first) = self.open.first() {
            if chain.is_empty() {
                chain.push(*first);
            }
            let tip = chain[chain.len() - 1];
            let before = chain.len().checked_sub(2).map(|at| chain[at]);
            let nearest = self.nearest(tip, before);
            match nearest {
                Some((next, mean)) if mean >= JOINED && before == Some(next) => {
                    chain.truncate(chain.len() - 2);
                    self.join(tip, next);
                }
                Some((next, mean)) if mean >= JOINED => chain.push(next),
                Some(_) | None => {
                    chain.pop();
                    self.open.retain(|group| *group != tip);
                }
            }
        }
    }

    /// Returns the group that is most similar to `to`; in case of a tie `before`,
    /// otherwise the first.
    fn nearest(&mut self, to: usize, before: Option<usize>) -> Option<(usize, f32)> {
        let mut nearest = before.map(|before| (before, *self.means.between(to, before)));
        for group in self.open.iter().filter(|group| **group != to) {
            let mean = *self.means.between(to, *group);
            if nearest.is_none_or(|(_, most)| mean > most) {
                nearest = Some((*group, mean));
            }
        }
        nearest
    }

    fn join(&mut self, from: usize, into: usize) {
        self.open.retain(|group| *group != from);
        self.parents[from] = into;
        let (of_from, of_into) = (self.sizes[from], self.sizes[into]);
        let both = of_from + of_into;
        for other in self.open.iter().filter(|group| **group != into) {
            let sum = of_from * *self.means.between(from, *other)
                + of_into * *self.means.between(into, *other);
            *self.means.between(into, *other) = sum / both;
        }
        self.sizes[into] = both;
    }

    fn roots(&self) -> Vec<usize> {
        let root = |mut group: usize| {
            while self.parents[group] != group {
                group = self.parents[group];
            }
            group
        };
        (0..self.parents.len()).map(root).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn group(size: u64, sum: &[f32]) -> Group {
        let sum: BTreeMap<u32, f32> = (0..).zip(sum.iter().copied()).collect();
        Group { size, sum }
    }

    /// Differences below this are rounding errors.
    const ROUNDING: f32 = 1e-5;

    /// Repeatedly joins the two most similar groups, computed from their sums; `None`
    /// where rounding decides which two these are.
    fn joined_plainly(groups: &[Group]) -> Option<Vec<usize>> {
        let mut members: Vec<Vec<usize>> = (0..groups.len()).map(|at| vec![at]).collect();
        let mean = |a: &[usize], b: &[usize]| {
            let sum = |members: &[usize]| {
                let mut sum = [0.0_f32; 8];
                for group in members {
                    for (term, weight) in &groups[*group].sum {
                        sum[*term as usize] += weight;
                    }
                }
                let size: u64 = members.iter().map(|group| groups[*group].size).sum();
                sum.map(|weight| weight / size as f32)
            };
            let (a, b) = (sum(a), sum(b));
            a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>()
        };
        loop {
            let pairs = (0..members.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let means: Vec<_> = pairs
                .map(|(a, b)| (mean(&members[a], &members[b]), a, b))
                .collect();
            let most = means.iter().copied().max_by(|x, y| x.0.total_cmp(&y.0));
            let Some((most, a, b)) = most else { break };
            let shares = |(_, c, d): &(f32, usize, usize)| [a, b].contains(c) || [a, b].contains(d);
            let rivals = means.iter().filter(|pair| shares(pair));
            let as_near = rivals.filter(|(mean, _, _)| most - mean < ROUNDING).count();
            if as_near > 1 || (most - JOINED).abs() < ROUNDING {
                return None;
            }
            if most < JOINED {
                break;
            }
            let moved = members.remove(b);
            members[a].extend(moved);
        }
        let mut of_group = vec![0; groups.len()];
        for members in members {
            let first = members.iter().min().copied().unwrap_or_default();
            for member in members {
                of_group[member] = first;
            }
        }
        Some(of_group)
    }

    /// The same groups, each identified by its first element.
    fn by_first(joined: &[usize]) -> Vec<usize> {
        let first = |root: &usize| joined.iter().position(|other| other == root);
        joined.iter().filter_map(first).collect()
    }

    #[test]
    fn groups_are_joined_while_their_mean_similarity_is_a_tenth() {
        let far = (1.0_f32 - 0.0099).sqrt();
        let near = (1.0_f32 - 0.0101).sqrt();
        for (second, expected) in [([0.0999_f32, far], [0, 1]), ([0.1005, near], [0, 0])] {
            let groups = [group(1, &[1.0, 0.0]), group(1, &second)];
            assert_eq!(by_first(&joined(&groups)), expected, "{second:?}");
        }
        assert_eq!(joined(&[]), [0; 0]);
        assert_eq!(joined(&[group(9, &[9.0])]), [0]);
    }

    #[test]
    fn a_group_is_weighted_by_its_number_of_texts() {
        // The third group is similar only to the second, which is small.
        let few = [
            group(9, &[9.0, 0.0]),
            group(1, &[0.8, 0.6]),
            group(1, &[0.0, 1.0]),
        ];
        assert_eq!(by_first(&joined(&few)), [0, 0, 2]);
        let many = [
            group(1, &[1.0, 0.0]),
            group(9, &[7.2, 5.4]),
            group(1, &[0.0, 1.0]),
        ];
        assert_eq!(by_first(&joined(&many)), [0, 0, 0]);
    }

    proptest! {
        #[test]
        fn the_chain_gives_the_groups_of_repeatedly_joining_the_most_similar_two(
            groups in proptest::collection::vec(
                (1_u64..20, proptest::collection::vec(0_u32..1_000, 8)), 0..12),
        ) {
            let groups: Vec<Group> = groups
                .into_iter()
                .map(|(size, weights)| {
                    // A few terms with high weights, so that some groups stay separate.
                    let weight = |weight: f32| if weight < 800.0 { weight / 50.0 } else { weight };
                    let weights: Vec<f32> =
                        weights.into_iter().map(|of_term| weight(of_term as f32)).collect();
                    let length = weights.iter().map(|weight| weight * weight).sum::<f32>().sqrt();
                    let of_all = size as f32 / length.max(1.0);
                    group(size, &weights.iter().map(|weight| weight * of_all).collect::<Vec<_>>())
                })
                .collect();
            let expected = joined_plainly(&groups);
            prop_assume!(expected.is_some());
            prop_assert_eq!(Some(by_first(&joined(&groups))), expected);
        }
    }
}
