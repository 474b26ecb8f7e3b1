//! The watch over a new version: whether its runs err more often than those of
//! the version before.
//!
//! The evidence is an e-process: the likelihood of the runs under higher rates
//! of errors over that under the rate before, mixed over 1.5 to 5 times that
//! rate. It may be looked at after every run; if nothing got worse, it reaches
//! 1 / [`ALPHA`] at any time with a probability of at most [`ALPHA`].

use statrs::distribution::{Beta, ContinuousCDF as _};

use super::Rate;

/// The probability of a false alarm while the rate before is known.
pub const ALPHA: f64 = 0.05;
/// Runs before a version may be judged.
pub const MIN_RUNS: usize = 5;
/// Runs after which a version is watched no more.
pub const HORIZON: usize = 100;
/// Runs of the version before without which there is no watch.
pub const MIN_BASELINE: u32 = 20;

/// The rates that are held against the one before, as its multiples.
const MULTIPLES: [f64; 8] = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0];
/// No rate is certainty.
const MAX_RATE: f64 = 0.99;

/// Where the watch over a version stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watch {
    /// Runs that were watched, at most [`HORIZON`].
    pub runs: usize,
    /// The evidence after the last of them.
    pub e_value: f64,
    /// Whether the version was found worse, at its last run that was watched.
    pub degraded: bool,
}

/// The rate of errors of a version with `errors`, the median of what is
/// believed after its runs when every rate was as likely before; `None` with
/// fewer than [`MIN_BASELINE`] runs.
#[must_use]
pub fn baseline_rate(errors: Rate) -> Option<f64> {
    if errors.runs < MIN_BASELINE {
        return None;
    }
    let others = errors.runs.saturating_sub(errors.events);
    let belief = Beta::new(f64::from(errors.events) + 1.0, f64::from(others) + 1.0);
    belief.ok().map(|belief| belief.inverse_cdf(0.5))
}

/// Watches runs in their order, true for an error, against the rate `p0`, which
/// lies between 0 and 1.
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
    fn the_rate_before_is_the_median_of_the_belief() {
        assert_eq!(after(0, 19), None);
        // Without errors the belief below x is 1 - (1 - x)^(n + 1).
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
    fn errors_are_evidence_by_their_likelihood() {
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
    fn a_version_is_not_judged_before_its_fifth_run() {
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
