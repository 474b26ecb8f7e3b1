//! Estimates of the shift of scores, its confidence interval, and the detectable gain.

use serde::Serialize;
use statrs::statistics::{Data, Median as _, Statistics as _};

/// The number of bootstrap samples of an interval.
const SAMPLES: usize = 1_000;
/// The quantile of the normal distribution for a power of 80 %.
const POWER_80: f64 = 0.841_621;
/// The quantile for the significance level of one look, .05 / 3.
const LEVEL_OF_A_LOOK: f64 = 2.128_045;

/// A 95 % confidence interval, in the unit of the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The Hodges-Lehmann estimate of the shift of scores, in points: the median of the
/// means of all pairs of `differences`, including each with itself; `None` without
/// differences.
pub(super) fn shift(differences: &[f64]) -> Option<f64> {
    let pairs = differences.iter().enumerate().flat_map(|(at, left)| {
        let others = differences[at..].iter();
        others.map(move |right| f64::midpoint(*left, *right))
    });
    let pairs: Vec<f64> = pairs.collect();
    (!pairs.is_empty()).then(|| Data::new(pairs).median())
}

/// The percentile interval of the shift, by 1,000 samples drawn with replacement;
/// `None` without differences.
pub(super) fn interval(seed: u64, differences: &[f64]) -> Option<Interval> {
    let mut draws = Draws::new(seed);
    let drawn = (0..SAMPLES).map_while(|_| shift(&draws.resample(differences)));
    let mut shifts: Vec<f64> = drawn.collect();
    shifts.sort_by(f64::total_cmp);
    let tail = shifts.len() / 40;
    Some(Interval {
        low: *shifts.get(tail)?,
        high: *shifts.iter().rev().nth(tail)?,
    })
}

/// The gain in points that a look detects with a probability of 80 %, by the normal
/// approximation; `None` with fewer than two differences.
pub(super) fn smallest_effect(differences: &[f64]) -> Option<f64> {
    let error = differences.variance() / differences.len() as f64;
    (differences.len() > 1).then(|| (LEVEL_OF_A_LOOK + POWER_80) * error.sqrt())
}

/// A sequence of pseudo-random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Draws(u64);

impl Draws {
    /// The sequence of `seed`.
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number as a fraction, at least 0 and less than 1.
    #[cfg(test)]
    pub(super) const fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next number as an index below `len`, which is not 0.
    pub(super) const fn position(&mut self, len: usize) -> usize {
        (self.next() % len as u64) as usize
    }

    /// Draws as many elements as `sample` has, with replacement.
    fn resample(&mut self, sample: &[f64]) -> Vec<f64> {
        let len = sample.len();
        (0..len).map(|_| sample[self.position(len)]).collect()
    }
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
            assert_eq!(shift(differences), expected, "{differences:?}");
        }
    }

    #[test]
    fn an_interval_is_two_standard_errors_wide_each_way() {
        let sample: Vec<f64> = (0..20).map(f64::from).collect();
        let interval = interval(1, &sample).expect("an interval");
        // The standard error is 5.77 / 4.47.
        assert!((interval.low - (9.5 - 2.53)).abs() < 0.6, "{interval:?}");
        assert!((interval.high - (9.5 + 2.53)).abs() < 0.6, "{interval:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let sample = [1.0, 5.0, 9.0, 2.0];
        assert_eq!(interval(3, &sample), interval(3, &sample));
        let fixed = Interval {
            low: 4.0,
            high: 4.0,
        };
        assert_eq!(interval(3, &[4.0, 4.0]), Some(fixed));
        assert_eq!(interval(3, &[]), None);
    }

    #[test]
    fn twenty_pairs_with_a_spread_of_eight_detect_five_points() {
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
    fn a_seed_gives_its_published_sequence() {
        // The first numbers of the published generator for the seed 1234567.
        let mut draws = Draws::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| draws.next()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(first, published);
    }
}
