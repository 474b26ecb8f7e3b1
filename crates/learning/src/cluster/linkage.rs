//! Average linkage: groups are joined while their entries are similar on average.

use std::collections::BTreeMap;

use super::micro::Profile;

/// Groups are joined while they are this many times as similar as two groups are on
/// average.
const ABOVE_AVERAGE: f32 = 4.0;
/// Groups that are this similar are joined in any case.
const ALIKE: f32 = 0.3;
/// The similarity of two groups that have nothing to do with each other, and the number
/// of such pairs that are added to the average: among a handful of groups most may be
/// about the same.
const UNRELATED: f32 = 0.025;
const UNRELATED_PAIRS: f32 = 300.0;
/// Among as many groups or fewer, a single word in common says nothing.
const FEW: f32 = 50.0;

/// Returns, for each group, the index of the group that represents everything it was
/// joined with; `words` are the terms of words that have several.
pub(super) fn joined(groups: &[Profile], words: &[&[u32]]) -> Vec<usize> {
    let means = Means::of(groups, words);
    let mut linkage = Linkage {
        enough: means.enough(),
        means,
        sizes: vec![1.0; groups.len()],
        parents: (0..groups.len()).collect(),
        open: (0..groups.len()).collect(),
    };
    linkage.join_all();
    linkage.roots()
}

/// The mean similarity of each pair of groups: the lower triangle of a matrix.
struct Means(Vec<f32>);

impl Means {
    /// The similarity of the issues; where both groups have corrections, those count as
    /// much.
    fn of(groups: &[Profile], words: &[&[u32]]) -> Self {
        let issues: Vec<_> = groups.iter().map(|group| &group.issue).collect();
        let mut means = Self::of_terms(&issues, words);
        let of_corrections: Vec<_> = groups.iter().map(|group| &group.correction).collect();
        let is_corrected = |group: &usize| !of_corrections[*group].is_empty();
        let corrected: Vec<usize> = (0..groups.len()).filter(is_corrected).collect();
        if corrected.len() > 1 {
            let mut of_corrections = Self::of_terms(&of_corrections, words);
            for (number, b) in corrected.iter().enumerate() {
                for a in &corrected[..number] {
                    let both = *means.between(*a, *b) + *of_corrections.between(*a, *b);
                    *means.between(*a, *b) = both / 2.0;
                }
            }
        }
        means
    }

    /// The similarity of each pair of weighted terms. The word that they share most counts
    /// the less the fewer vectors there are: each word is rare among a few, so that a single
    /// one in common says nothing. `words` are the terms of words that have several.
    fn of_terms(weighted: &[&Vec<(u32, f32)>], words: &[&[u32]]) -> Self {
        let vectors = normalized(weighted);
        let pairs = vectors.len() * vectors.len().saturating_sub(1) / 2;
        let (mut sums, mut most) = (Self(vec![0.0; pairs]), Self(vec![0.0; pairs]));
        let mut by_term: BTreeMap<u32, Vec<(usize, f32)>> = BTreeMap::new();
        for (at, vector) in vectors.iter().enumerate() {
            for (term, weight) in vector {
                let others = by_term.entry(*term).or_default();
                for (other, of_other) in others.iter() {
                    let product = weight * of_other;
                    *sums.between(at, *other) += product;
                    most.raise(at, *other, product);
                }
                others.push((at, *weight));
            }
        }
        for word in words {
            let Some(having) = word.first().and_then(|stem| by_term.get(stem)) else {
                continue;
            };
            let weights: Vec<(usize, Vec<f32>)> = having
                .iter()
                .map(|(at, _)| (*at, weights_of(&vectors[*at], word)))
                .collect();
            for (number, (b, of_b)) in weights.iter().enumerate() {
                for (a, of_a) in &weights[..number] {
                    let product = of_a.iter().zip(of_b).map(|(a, b)| a * b).sum();
                    most.raise(*a, *b, product);
                }
            }
        }
        let doubt = (FEW / vectors.len() as f32).min(1.0);
        for (sum, most) in sums.0.iter_mut().zip(&most.0) {
            *sum = (*sum - doubt * most).max(0.0);
        }
        sums
    }

    fn raise(&mut self, a: usize, b: usize, to: f32) {
        let value = self.between(a, b);
        *value = value.max(to);
    }

    /// The similarity from which on groups are joined: it follows from that of all.
    fn enough(&self) -> f32 {
        let known: f64 = self.0.iter().map(|mean| f64::from(*mean)).sum();
        let all = known as f32 + UNRELATED * UNRELATED_PAIRS;
        let average = all / (self.0.len() as f32 + UNRELATED_PAIRS);
        (ABOVE_AVERAGE * average).min(ALIKE)
    }

    fn between(&mut self, a: usize, b: usize) -> &mut f32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        &mut self.0[high * (high - 1) / 2 + low]
    }
}

/// Returns the vectors whose products are cosines, weighted by how long both vectors are
/// in proportion to the average: a word in common says less where each has only a few.
fn normalized(weighted: &[&Vec<(u32, f32)>]) -> Vec<Vec<(u32, f32)>> {
    let length = |terms: &&Vec<(u32, f32)>| {
        let squares = terms.iter().map(|(_, weight)| weight * weight);
        squares.sum::<f32>().sqrt()
    };
    let lengths: Vec<f32> = weighted.iter().map(length).collect();
    let known = lengths.iter().filter(|length| **length > 0.0).count();
    let average = lengths.iter().sum::<f32>() / known as f32;
    let vectors = weighted.iter().zip(&lengths);
    vectors
        .map(|(terms, length)| {
            let by = (length * average).sqrt();
            let terms = terms.iter().filter(|(_, weight)| *weight > 0.0);
            terms.map(|(term, weight)| (*term, weight / by)).collect()
        })
        .collect()
}

/// The weights of terms in a vector.
fn weights_of(vector: &[(u32, f32)], terms: &[u32]) -> Vec<f32> {
    let weight = |term: &u32| {
        let found = vector.binary_search_by_key(term, |(term, _)| *term);
        found.map_or(0.0, |at| vector[at].1)
    };
    terms.iter().map(weight).collect()
}

struct Linkage {
    means: Means,
    /// Groups are joined down to this mean similarity.
    enough: f32,
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
                Some((next, mean)) if mean >= self.enough && before == Some(next) => {
                    chain.truncate(chain.len() - 2);
                    self.join(tip, next);
                }
                Some((next, mean)) if mean >= self.enough => chain.push(next),
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
    use proptest::prelude::*;

    use super::*;

    fn profile(issue: &[f32], correction: &[f32]) -> Profile {
        let terms = |weights: &[f32]| (0..).zip(weights.iter().copied()).collect();
        Profile {
            issue: terms(issue),
            correction: terms(correction),
        }
    }

    /// Differences below this are rounding errors.
    const ROUNDING: f32 = 1e-5;

    /// Repeatedly joins the two most similar groups; `None` where rounding decides
    /// which two these are.
    fn joined_plainly(groups: &[Profile]) -> Option<Vec<usize>> {
        let mut means = Means::of(groups, &[]);
        let enough = means.enough();
        let mut members: Vec<Vec<usize>> = (0..groups.len()).map(|at| vec![at]).collect();
        let mut mean = |a: &[usize], b: &[usize]| {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
            let sum: f32 = pairs.map(|(a, b)| *means.between(a, b)).sum();
            sum / (a.len() * b.len()) as f32
        };
        loop {
            let pairs = (0..members.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let found: Vec<_> = pairs
                .map(|(a, b)| (mean(&members[a], &members[b]), a, b))
                .collect();
            let most = found.iter().copied().max_by(|x, y| x.0.total_cmp(&y.0));
            let Some((most, a, b)) = most else { break };
            let shares = |(_, c, d): &(f32, usize, usize)| [a, b].contains(c) || [a, b].contains(d);
            let rivals = found.iter().filter(|pair| shares(pair));
            let as_near = rivals.filter(|(mean, _, _)| most - mean < ROUNDING).count();
            if as_near > 1 || (most - enough).abs() < ROUNDING {
                return None;
            }
            if most < enough {
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

    /// Two groups whose issues have two words in common, each with this product.
    fn sharing_two_words(product: f32) -> [Profile; 2] {
        let half = 0.5_f32.sqrt();
        let rest = (1.0 - 4.0 * product * product).sqrt();
        let common = product / half;
        let (first, second) = ([half, half], [common, common, rest]);
        [profile(&first, &[]), profile(&second, &[])]
    }

    #[test]
    fn a_handful_of_groups_is_compared_with_unrelated_ones() {
        // One pair and 300 unrelated ones: four times (0.025 * 300 + it) / 301.
        for (product, expected) in [(0.1005, [0, 1]), (0.102, [0, 0])] {
            let groups = sharing_two_words(product);
            assert_eq!(by_first(&joined(&groups, &[])), expected, "{product}");
        }
        assert_eq!(joined(&[], &[]), [0; 0]);
        assert_eq!(joined(&[profile(&[9.0], &[])], &[]), [0]);
    }

    #[test]
    fn a_single_word_in_common_says_nothing_among_a_few_groups() {
        let similarity = |others: usize, words: &[&[u32]]| {
            let mut groups: Vec<Profile> = vec![
                profile(&[0.6, 0.6, 1.0], &[]),
                profile(&[0.6, 0.6, 0.0, 1.0], &[]),
            ];
            groups.extend((0..others).map(|_| profile(&[], &[])));
            *Means::of(&groups, words).between(0, 1)
        };
        // Each of the two terms has the product 0.36 / 1.72.
        let term = 0.36 / 1.72;
        let word: &[&[u32]] = &[&[0, 1]];
        let table: [(usize, &[&[u32]], f32); 4] = [
            (0, &[], term),
            (0, word, 0.0),
            (98, &[], 1.5 * term),
            (98, word, term),
        ];
        for (others, words, expected) in table {
            let found = similarity(others, words);
            assert!((found - expected).abs() < 1e-5, "{others}: {found}");
        }
    }

    #[test]
    fn the_same_words_in_common_count_more_between_longer_texts() {
        let lengths = [[4.0, 0.0], [0.0, 1.0], [0.0, 4.0]];
        let vectors = normalized(
            &lengths
                .map(|[lion, zebra]| vec![(0, lion), (1, zebra)])
                .each_ref(),
        );
        let expected = [4.0, 1.0, 4.0].map(|length: f32| (length / 3.0).sqrt());
        let found: Vec<f32> = vectors.iter().map(|terms| terms[0].1).collect();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(normalized(&[&Vec::new()]), [Vec::new()]);
    }

    #[test]
    fn how_similar_is_enough_follows_from_all_groups() {
        let all_alike = Means(vec![0.05; 100_000]);
        assert!((all_alike.enough() - 0.2).abs() < 1e-2);
        let unrelated = Means(vec![0.01; 100_000]);
        assert!((unrelated.enough() - 0.04).abs() < 1e-3);
        assert!((Means(vec![0.5; 1_000]).enough() - ALIKE).abs() < 1e-6);
        assert!((Means(Vec::new()).enough() - 0.1).abs() < 1e-6);
    }

    #[test]
    fn corrections_count_as_much_as_issues_where_both_groups_have_them() {
        // Among two, the half of what two words have in common counts.
        let (lion, zebra) = ([1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]);
        let between = |a: &Profile, b: &Profile| {
            let of = |profile: &Profile| Profile {
                issue: profile.issue.clone(),
                correction: profile.correction.clone(),
            };
            *Means::of(&[of(a), of(b)], &[]).between(0, 1)
        };
        let table = [
            (profile(&lion, &lion), profile(&lion, &lion), 0.5),
            (profile(&lion, &lion), profile(&zebra, &lion), 0.25),
            (profile(&lion, &lion), profile(&lion, &zebra), 0.25),
            (profile(&lion, &lion), profile(&lion, &[]), 0.5),
            (profile(&lion, &[]), profile(&zebra, &lion), 0.0),
        ];
        for (a, b, expected) in table {
            let found = between(&a, &b);
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    proptest! {
        #[test]
        fn the_chain_gives_the_groups_of_repeatedly_joining_the_most_similar_two(
            groups in proptest::collection::vec(
                (proptest::collection::vec(0_u32..1_000, 8),
                 proptest::collection::vec(0_u32..1_000, 0..8)), 0..12),
        ) {
            // A few terms with high weights, so that some groups stay separate.
            let weight = |weight: &u32| match *weight as f32 {
                few if few < 800.0 => few / 50.0,
                many => many,
            };
            let weights = |of: &[u32]| of.iter().map(weight).collect::<Vec<_>>();
            let groups: Vec<Profile> = groups
                .iter()
                .map(|(issue, correction)| profile(&weights(issue), &weights(correction)))
                .collect();
            let expected = joined_plainly(&groups);
            prop_assume!(expected.is_some());
            prop_assert_eq!(Some(by_first(&joined(&groups, &[]))), expected);
        }
    }
}
