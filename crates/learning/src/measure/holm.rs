//! Several tests at once.

/// The values of p as they stand beside each other, by Holm's method, in the
/// order in which they came: each may be held against the common level.
pub(super) fn holm<const N: usize>(values: [f64; N]) -> [f64; N] {
    let mut order: [usize; N] = std::array::from_fn(|at| at);
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut adjusted = [1.0; N];
    let mut highest = 0.0_f64;
    for (rank, at) in order.iter().enumerate() {
        let times = (N - rank) as f64;
        highest = highest.max((values[*at] * times).min(1.0));
        adjusted[*at] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_p_is_held_against_the_smaller_ones() {
        fn near<const N: usize>(ours: [f64; N], theirs: [f64; N]) {
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
            }
        }
        near(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        near(holm([0.9, 0.2]), [0.9, 0.4]);
        near(holm([0.6, 0.7]), [1.0, 1.0]);
        near(holm([0.02]), [0.02]);
    }
}
