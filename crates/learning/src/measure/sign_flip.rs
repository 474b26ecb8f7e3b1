//! The exact sign-flip permutation test of paired scores.

/// Differences are counted in hundredths of a point.
const STEPS_A_POINT: f64 = 100.0;
/// The largest difference of two scores, in points.
const MAX_POINTS: f64 = 100.0;

/// The probability of a sum at least as large as that of `differences` if the sign of
/// each were random; 1 without differences.
///
/// All 2^n sums are counted, ties included, by the distribution of the sum.
/// Differences are rounded to hundredths of a point; one beyond 100 points counts
/// as 100. Of differences of 1 and -1 this is the exact McNemar test.
pub(super) fn sign_flip(differences: &[f64]) -> f64 {
    let steps = whole_steps(differences);
    let total: u64 = steps.iter().map(|step| step.unsigned_abs()).sum();
    let observed: u64 = steps.iter().map(|step| step.max(&0).unsigned_abs()).sum();
    // The sum of signed steps is twice the sum of the positive ones minus the total, so
    // the distribution of the latter is enough.
    let mut chances = vec![0.0; total as usize + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for step in steps {
        let step = step.unsigned_abs() as usize;
        reached += step;
        for sum in (0..=reached).rev() {
            let without = chances[sum];
            let with = if sum < step { 0.0 } else { chances[sum - step] };
            chances[sum] = (without + with) / 2.0;
        }
    }
    let tail: f64 = chances[observed as usize..].iter().sum();
    tail.min(1.0)
}

/// The differences as integers on the coarsest exact grid.
fn whole_steps(differences: &[f64]) -> Vec<i64> {
    let hundredths =
        |points: &f64| (points.clamp(-MAX_POINTS, MAX_POINTS) * STEPS_A_POINT).round() as i64;
    let fine: Vec<i64> = differences.iter().map(hundredths).collect();
    let common = fine.iter().fold(0, |common, step| {
        greatest_common_divisor(common, step.abs())
    });
    fine.into_iter().map(|step| step / common.max(1)).collect()
}

const fn greatest_common_divisor(mut left: i64, mut right: i64) -> i64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Draws;

    /// The same by enumeration of all choices of signs.
    fn by_enumeration(differences: &[f64]) -> f64 {
        let steps: Vec<i64> = differences
            .iter()
            .map(|points| (points * 100.0).round() as i64)
            .collect();
        let observed: i64 = steps.iter().sum();
        let choices = 1_u32 << steps.len();
        let is_extreme = |signs: &u32| {
            let signed = steps.iter().enumerate();
            let sum: i64 = signed
                .map(|(at, step)| if signs >> at & 1 == 1 { *step } else { -step })
                .sum();
            sum >= observed
        };
        (0..choices).filter(is_extreme).count() as f64 / f64::from(choices)
    }

    #[test]
    fn every_choice_of_signs_is_counted() {
        for (differences, expected) in [
            (&[] as &[f64], 1.0),
            (&[0.0, 0.0], 1.0),
            (&[5.0], 0.5),
            (&[-5.0], 1.0),
            (&[5.0, 5.0, 5.0], 0.125),
            (&[5.0, 5.0, -5.0], 0.5),
            (&[10.0, 5.0, -5.0, 0.0], 3.0 / 8.0),
            (&[-3.0, -4.0], 1.0),
        ] {
            let p = sign_flip(differences);
            assert!((p - expected).abs() < 1e-12, "{differences:?} {p}");
        }
        assert!((sign_flip(&[1.0; 20]) - 0.5_f64.powi(20)).abs() < 1e-15);
    }

    #[test]
    fn the_distribution_of_the_sum_agrees_with_enumeration() {
        let mut draws = Draws::new(7);
        for round in 0..60 {
            let len = 1 + round % 10;
            let step = [0.01, 0.5, 5.0][round % 3];
            let differences: Vec<f64> = (0..len)
                .map(|_| (draws.position(9) as f64 - 3.0) * step)
                .collect();
            let (ours, theirs) = (sign_flip(&differences), by_enumeration(&differences));
            assert!((ours - theirs).abs() < 1e-12, "{differences:?}");
        }
    }

    #[test]
    fn a_difference_below_half_a_hundredth_is_zero() {
        let p = sign_flip(&[1.0, 0.004]);
        assert!((p - 0.5).abs() < 1e-12, "{p}");
        let p = sign_flip(&[1.0, 0.006]);
        assert!((p - 0.25).abs() < 1e-12, "{p}");
    }

    #[test]
    fn for_pairs_that_changed_it_is_the_exact_mcnemar_test() {
        for (risen, fallen, expected) in [
            (0, 0, 1.0),
            (5, 0, 1.0 / 32.0),
            (0, 5, 1.0),
            (4, 1, 6.0 / 32.0),
            (1, 4, 31.0 / 32.0),
        ] {
            let turned = [vec![1.0; risen], vec![-1.0; fallen], vec![0.0; 3]].concat();
            let p = sign_flip(&turned);
            assert!((p - expected).abs() < 1e-12, "{risen} {fallen} {p}");
        }
    }

    #[test]
    fn values_that_are_not_scores_are_ignored() {
        let p = sign_flip(&[f64::NAN, 1e300, f64::NEG_INFINITY]);
        assert!((p - 0.75).abs() < 1e-12, "{p}");
    }
}
