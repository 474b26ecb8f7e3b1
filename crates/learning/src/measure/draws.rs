//! Numbers that follow from a seed.

/// A sequence of numbers that is the same for the same seed (splitmix64).
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

    /// The next number as a share, at least 0 and less than 1.
    #[cfg(test)]
    pub(super) const fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The next number as a position in a list of `len`, which is not 0.
    pub(super) const fn position(&mut self, len: usize) -> usize {
        (self.next() % len as u64) as usize
    }

    /// As many of `sample` as there are, each drawn from all of them.
    pub(super) fn resample<T: Copy>(&mut self, sample: &[T]) -> Vec<T> {
        let len = sample.len();
        (0..len).map(|_| sample[self.position(len)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_its_sequence() {
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

    #[test]
    fn shares_and_positions_are_spread_over_their_range() {
        let mut draws = Draws::new(1);
        let mean = (0..1_000).map(|_| draws.share()).sum::<f64>() / 1_000.0;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        let mut seen = [0; 3];
        for _ in 0..300 {
            seen[draws.position(3)] += 1;
        }
        assert!(
            seen.iter().all(|count| (80..=120).contains(count)),
            "{seen:?}"
        );
    }
}
