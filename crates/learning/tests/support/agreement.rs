//! The agreement of two groupings.

use std::collections::HashMap;
use std::hash::Hash;

/// The adjusted Rand index of two groupings: 1 if they are equal, 0 if they agree only
/// by chance.
pub(crate) fn agreement(of_things: &[(usize, usize)]) -> f64 {
    let both = pairs(of_things.iter().copied());
    let (left, right) = (
        pairs(of_things.iter().map(|(left, _)| *left)),
        pairs(of_things.iter().map(|(_, right)| *right)),
    );
    let by_chance = left * right / pairs(of_things.iter().map(|_| ()));
    (both - by_chance) / (f64::midpoint(left, right) - by_chance)
}

/// The number of pairs within a group.
fn pairs<T: Eq + Hash>(groups: impl Iterator<Item = T>) -> f64 {
    let mut sizes: HashMap<T, f64> = HashMap::new();
    for group in groups {
        *sizes.entry(group).or_default() += 1.0;
    }
    sizes
        .into_values()
        .map(|size| size * (size - 1.0) / 2.0)
        .sum()
}
