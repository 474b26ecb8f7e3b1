//! The watch over a new version: whether its runs fail more often than those of the
//! previous version.
//!
//! The evidence is an e-process: the ratio of the likelihood of the runs under higher
//! error rates to that under the previous rate, mixed over 1.5 to 5 times that rate. It
//! may be checked after every run: if nothing got worse, the probability that it ever
//! reaches 1 / [`ALPHA`] is at most [`ALPHA`].

use statrs::distribution::{Beta, ContinuousCDF as _};

use super::Rate;

/// The probability of a false alarm if the previous rate is known.
pub const ALPHA: f64 = 0.05;
/// The minimum number of runs for a verdict.
pub const MIN_RUNS: usize = 5;
/// The number of runs after which the watch ends.
pub const HORIZON: usize = 100;
/// The minimum number of runs of the previous version for a watch.
pub const MIN_BASELINE: u32 = 20;

/// The alternative rates, as multiples of the previous rate.
const MULTIPLES: [f64; 8] = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0];
/// The maximum rate.
const MAX_RATE: f64 = 0.99;

/// The state of the watch over a version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watch {
    /// The number of runs watched, at most [`HORIZON`].
    pub runs: usize,
    /// The evidence after the last of them.
    pub e_value: f64,
    /// Whether the version was worse at its last watched run.
    pub degraded: bool,
}

/// Returns the error rate of a version with `errors`: the median of the posterior with
/// a uniform prior; `None` with fewer than [`MIN_BASELINE`] runs.
#[must_use]
pub fn baseline_rate(errors: Rate) -> Option<f64> {
    if errors.runs < MIN_BASELINE {
        return None;
    }
    let others = errors.runs.saturating_sub(errors.events);
    let belief = Beta::new(f64::from(errors.events) + 1.0, f64::from(others) + 1.0);
    belief.ok().map(|belief| belief.inverse_cdf(0.5))
}

/// Watches runs in order, true for an error, against the rate `p0`, which is between 0
/// and 1.
pub fn watch(p0: f64, errors: impl IntoIterator<Item = bool>) -> Watch {
    let p0 = p0.clamp(f64::MIN_POSITIVE, MAX_RATE);
    let mut evidence = [1.0; MULTIPLES.len()];
    let mut watch = Watch {
        runs: 0,
        e_value: 1.0,
        degraded: false,
    };
    for error in errors.into_iter().take(HORIZON) {
        for (evidence, multiple) in evidence.iter_mut().zip(MULTIPLES) {
            let rate = (multiple * p0).min(MAX_RATE);
            *evidence *= if error {
                rate / p0
            } else {
                (1.0 - rate) / (1.0 - p0)
            };
        }
        watch.runs += 1;
        watch.e_value = evidence.iter().sum::<f64>() / MULTIPLES.len() as f64;
        if watch.runs >= MIN_RUNS && watch.e_value >= 1.0 / ALPHA {
            watch.degraded = true;
            break;
        }
    }
    watch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(errors: u32, runs: u32) -> Option<f64> {
        baseline_rate(Rate {
            events: errors,
            runs,
        })
    }

    #[test]
    fn the_baseline_is_the_median_of_the_posterior() {
        assert_eq!(after(0, 19), None);
        // Without errors the posterior probability below x is 1 - (1 - x)^(n + 1).
        let none = after(0, 20).expect("a rate");
        assert!(
            (none - (1.0 - 0.5_f64.powf(1.0 / 21.0))).abs() < 1e-9,
            "{none}"
        );
        let all = after(20, 20).expect("a rate");
        assert!((all - 0.5_f64.powf(1.0 / 21.0)).abs() < 1e-9, "{all}");
        let half = after(50, 100).expect("a rate");
        assert!((half - 0.5).abs() < 1e-9, "{half}");
        // About (errors + 2/3) / (runs + 4/3).
        let some = after(2, 20).expect("a rate");
        assert!((some - 0.125).abs() < 0.002, "{some}");
    }

    #[test]
    fn the_evidence_is_the_likelihood_ratio() {
        let watch_one = watch(0.1, [true]);
        // The mean of the multiples.
        assert!((watch_one.e_value - 3.25).abs() < 1e-9, "{watch_one:?}");
        assert_eq!(watch_one.runs, 1);
        let quiet = watch(0.1, [false]);
        // (1 - .325) / .9
        assert!((quiet.e_value - 0.75).abs() < 1e-9, "{quiet:?}");
        let none = watch(0.1, []);
        assert!((none.e_value - 1.0).abs() < 1e-9 && none.runs == 0);
    }

    #[test]
    fn a_version_gets_no_verdict_before_its_fifth_run() {
        let four = watch(0.1, [true; 4]);
        assert!(four.e_value > 1.0 / ALPHA && !four.degraded, "{four:?}");
        let five = watch(0.1, [true; 5]);
        assert!(five.degraded && five.runs == 5, "{five:?}");
        let rest = watch(0.1, [true; 50]);
        assert_eq!(rest, five);
    }

    #[test]
    fn a_version_is_watched_up_to_the_horizon() {
        let late = (0..200).map(|run| run >= HORIZON);
        let watched = watch(0.1, late);
        assert_eq!((watched.runs, watched.degraded), (HORIZON, false));
    }

    #[test]
    fn a_rate_near_certainty_cannot_get_much_worse() {
        for p0 in [0.99, 1.0, 2.0] {
            let watched = watch(p0, [true; 100]);
            assert!((watched.e_value - 1.0).abs() < 1e-9, "{watched:?}");
            assert!(!watched.degraded);
        }
        assert!(watch(0.0, [true; 5]).degraded);
    }
}
