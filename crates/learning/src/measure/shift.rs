//! The Hodges-Lehmann estimate of how far scores moved.

/// The shift of paired scores, in points: the median of the means of all pairs
/// of `differences`, each with itself included; `None` when there is none.
pub(super) fn paired_shift(differences: &[f64]) -> Option<f64> {
    let pairs = differences.iter().enumerate().flat_map(|(at, left)| {
        let others = differences[at..].iter();
        others.map(move |right| f64::midpoint(*left, *right))
    });
    median(pairs.collect())
}

/// The shift from `old` to `new`, in points: the median of all differences
/// between a new score and an old one; `None` when one is empty.
pub(super) fn unpaired_shift(old: &[f64], new: &[f64]) -> Option<f64> {
    let all = new
        .iter()
        .flat_map(|new| old.iter().map(move |old| new - old));
    median(all.collect())
}

/// The middle of `values`, or the mean of the two in the middle.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let is_odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if is_odd {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shift_of_pairs_is_the_median_of_walsh_averages() {
        for (differences, expected) in [
            (&[] as &[f64], None),
            (&[4.0], Some(4.0)),
            // 1, 1.5, 2, 5.5, 6, 10
            (&[1.0, 2.0, 10.0], Some(3.75)),
            (&[-5.0, 5.0], Some(0.0)),
        ] {
            assert_eq!(paired_shift(differences), expected, "{differences:?}");
        }
    }

    #[test]
    fn the_shift_of_samples_is_the_median_of_all_differences() {
        // 3, 9, 2, 8, 0, 6
        let shift = unpaired_shift(&[1.0, 2.0, 4.0], &[4.0, 10.0]);
        assert_eq!(shift, Some(4.5));
        assert_eq!(unpaired_shift(&[], &[1.0]), None);
        assert_eq!(unpaired_shift(&[1.0], &[]), None);
    }
}
