//! Counts of events that happen with a fixed chance.

/// The probabilities of 0 to `runs` events with the chance `chance` each.
pub(super) fn chances(runs: u32, chance: f64) -> Vec<f64> {
    let mut all = vec![0.0; runs as usize + 1];
    if chance <= 0.0 {
        all[0] = 1.0;
        return all;
    }
    if chance >= 1.0 {
        all[runs as usize] = 1.0;
        return all;
    }
    let odds = (chance / (1.0 - chance)).ln();
    let mut log = f64::from(runs) * (1.0 - chance).ln();
    for (events, place) in (0_u32..).zip(&mut all) {
        *place = log.exp();
        log += (f64::from(runs - events) / f64::from(events + 1)).ln() + odds;
    }
    all
}

/// The probability of at least `events` of `runs`.
pub(super) fn at_least(events: u32, runs: u32, chance: f64) -> f64 {
    let tail = chances(runs, chance).into_iter().skip(events as usize);
    tail.sum()
}

/// The logarithms of 0! to `most`!.
pub(super) fn log_factorials(most: u32) -> Vec<f64> {
    let mut log = 0.0;
    let rest = (1..=most).map(|number| {
        log += f64::from(number).ln();
        log
    });
    let rest: Vec<f64> = rest.collect();
    std::iter::once(0.0).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chances_of_counts_are_binomial() {
        let expected = [0.0625, 0.25, 0.375, 0.25, 0.0625];
        for (ours, theirs) in chances(4, 0.5).iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-12);
        }
        assert_eq!(chances(4, 0.5).len(), 5);
        assert_eq!(chances(2, 0.0), [1.0, 0.0, 0.0]);
        assert_eq!(chances(2, 1.0), [0.0, 0.0, 1.0]);
        let many: f64 = chances(20_000, 0.001).iter().sum();
        assert!((many - 1.0).abs() < 1e-9, "{many}");
        assert!((at_least(2, 3, 0.1) - 0.028).abs() < 1e-12);
        assert!((at_least(0, 3, 0.1) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn factorials_are_kept_as_logarithms() {
        let logs = log_factorials(4);
        assert_eq!(logs.len(), 5);
        assert!((logs[4].exp() - 24.0).abs() < 1e-9);
        assert!(logs[0].abs() < 1e-12 && logs[1].abs() < 1e-12);
    }
}
