//! Which versions of a prompt need not be kept.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

/// The versions to remove, the oldest first, so that at most `max` are left;
/// those of `needed` are never removed.
#[must_use]
pub fn surplus(
    versions: &BTreeSet<NonZeroU32>,
    max: usize,
    needed: &[NonZeroU32],
) -> Vec<NonZeroU32> {
    let count = versions.len().saturating_sub(max);
    let spare = versions.iter().filter(|version| !needed.contains(version));
    spare.take(count).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(numbers: &[u32]) -> Vec<NonZeroU32> {
        let numbers = numbers
            .iter()
            .map(|number| NonZeroU32::new(*number).unwrap());
        numbers.collect()
    }

    #[test]
    fn the_oldest_go_first_and_what_is_needed_stays() {
        for (present, max, needed, expected) in [
            (&[1, 2, 3][..], 3, &[3, 2][..], &[][..]),
            (&[1, 2, 3, 4], 2, &[4, 3], &[1, 2]),
            (&[1, 2, 3, 4], 2, &[1, 4], &[2, 3]),
            (&[1, 2, 3], 2, &[1, 2, 3], &[]),
            (&[1, 2, 3], 2, &[1, 3], &[2]),
            (&[], 2, &[1], &[]),
        ] {
            let present = versions(present).into_iter().collect();
            let removed = surplus(&present, max, &versions(needed));
            assert_eq!(removed, versions(expected), "{present:?} {needed:?}");
        }
    }
}
