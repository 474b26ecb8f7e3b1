//! Which difference a comparison could have found.

/// The chance with which the smallest detectable effect is found, as the
/// quantile of the normal distribution.
const POWER_80: f64 = 0.841_621;
/// The same for the level of one look, .05 / 3.
const LEVEL_OF_A_LOOK: f64 = 2.128_045;

/// The gain in points that a look would find four times in five, by the normal
/// approximation; `None` with fewer than two differences.
pub(super) fn smallest_effect(differences: &[f64]) -> Option<f64> {
    let error = variance(differences)? / differences.len() as f64;
    Some((LEVEL_OF_A_LOOK + POWER_80) * error.sqrt())
}

/// The same for unpaired scores; `None` with fewer than two of each.
pub(super) fn smallest_unpaired_effect(old: &[f64], new: &[f64]) -> Option<f64> {
    let error = variance(old)? / old.len() as f64 + variance(new)? / new.len() as f64;
    Some((LEVEL_OF_A_LOOK + POWER_80) * error.sqrt())
}

/// The sample variance.
fn variance(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(squares / (count - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_pairs_with_a_spread_of_eight_find_five_points() {
        // Half below and half above the mean by 8 has the sample variance 67.4.
        let differences: Vec<f64> = (0..20)
            .map(|at| if at % 2 == 0 { 8.0 } else { -8.0 })
            .collect();
        let effect = smallest_effect(&differences).expect("an effect");
        assert!((effect - 5.45).abs() < 0.01, "{effect}");
        assert_eq!(smallest_effect(&[3.0]), None);
        assert_eq!(smallest_effect(&[3.0, 3.0]), Some(0.0));
    }

    #[test]
    fn two_samples_spread_more_than_their_differences() {
        let old = [50.0, 60.0];
        let new = [70.0, 90.0, 80.0];
        // Variances 50 and 100, errors 25 and 33.3.
        let effect = smallest_unpaired_effect(&old, &new).expect("an effect");
        assert!(
            (effect - 2.969_666 * 58.333_f64.sqrt()).abs() < 0.01,
            "{effect}"
        );
        assert_eq!(smallest_unpaired_effect(&old, &[1.0]), None);
        assert_eq!(smallest_unpaired_effect(&[1.0], &old), None);
    }
}
