//! The exact McNemar test of a rate over pairs.

use super::binomial::at_least;

/// The probability of at least `risen` of the pairs that differ if each had
/// gone either way by the toss of a coin: `risen` pairs have the event under
/// the new version alone, `fallen` under the old one alone.
pub(super) fn mcnemar(risen: u32, fallen: u32) -> f64 {
    at_least(risen, risen + fallen, 0.5).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pairs_that_differ_count() {
        for (risen, fallen, expected) in [
            (0, 0, 1.0),
            (5, 0, 1.0 / 32.0),
            (0, 5, 1.0),
            (4, 1, 6.0 / 32.0),
            (1, 4, 31.0 / 32.0),
        ] {
            let p = mcnemar(risen, fallen);
            assert!((p - expected).abs() < 1e-12, "{risen} {fallen} {p}");
        }
    }
}
