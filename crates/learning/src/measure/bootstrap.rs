//! How sure an estimate is, by drawing samples from the sample.

use serde::Serialize;

use super::Draws;

/// Samples that are drawn.
const SAMPLES: usize = 1_000;

/// Where an estimate lies with 95 % confidence, in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The percentile interval of an estimate, by 1,000 samples that `estimate`
/// draws with replacement; `None` when it has none to draw from.
pub(super) fn interval(
    seed: u64,
    mut estimate: impl FnMut(&mut Draws) -> Option<f64>,
) -> Option<Interval> {
    let mut draws = Draws::new(seed);
    let mut estimates: Vec<f64> = (0..SAMPLES).map_while(|_| estimate(&mut draws)).collect();
    estimates.sort_by(f64::total_cmp);
    let tail = estimates.len() / 40;
    Some(Interval {
        low: *estimates.get(tail)?,
        high: *estimates.iter().rev().nth(tail)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_the_mean(seed: u64, sample: &[f64]) -> Option<Interval> {
        interval(seed, |draws| {
            let drawn = draws.resample(sample);
            let mean = drawn.iter().sum::<f64>() / sample.len() as f64;
            (!sample.is_empty()).then_some(mean)
        })
    }

    #[test]
    fn the_interval_of_a_mean_is_two_standard_errors_wide_each_way() {
        let sample: Vec<f64> = (0..100).map(f64::from).collect();
        let interval = of_the_mean(1, &sample).expect("an interval");
        // The standard error is 28.87 / 10.
        assert!((interval.low - (49.5 - 5.66)).abs() < 0.8, "{interval:?}");
        assert!((interval.high - (49.5 + 5.66)).abs() < 0.8, "{interval:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let sample = [1.0, 5.0, 9.0, 2.0];
        assert_eq!(of_the_mean(3, &sample), of_the_mean(3, &sample));
        let fixed = Interval {
            low: 4.0,
            high: 4.0,
        };
        assert_eq!(of_the_mean(3, &[4.0, 4.0]), Some(fixed));
        assert_eq!(of_the_mean(3, &[]), None);
    }
}
