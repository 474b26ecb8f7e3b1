//! Rates of events in runs, and Fisher's exact test.

use serde::Serialize;
use statrs::stats_tests::{Alternative, fisher::fishers_exact};

/// The number of runs with an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Rate {
    /// The number of runs with the event.
    pub events: u32,
    /// The number of all runs.
    pub runs: u32,
}

impl Rate {
    /// Counts events.
    pub fn of(events: impl IntoIterator<Item = bool>) -> Self {
        events
            .into_iter()
            .fold(Self::default(), |rate, event| Self {
                events: rate.events + u32::from(event),
                runs: rate.runs + 1,
            })
    }

    /// The share of runs with the event, from 0 to 1; `None` without runs.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.runs > 0).then(|| f64::from(self.events) / f64::from(self.runs))
    }

    fn table_row(self) -> [u64; 2] {
        [self.events, self.runs.saturating_sub(self.events)].map(u64::from)
    }
}

/// The probability, if both rates were equal, that the new one exceeds the old one by
/// at least as much as observed, by Fisher's exact test; 1 if one has no runs.
pub(super) fn fisher(old: Rate, new: Rate) -> f64 {
    let ([a, b], [c, d]) = (old.table_row(), new.table_row());
    fishers_exact(&[a, b, c, d], Alternative::Less).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rate(events: u32, runs: u32) -> Rate {
        Rate { events, runs }
    }

    #[test]
    fn fishers_p_is_the_hypergeometric_tail() {
        // Of 4 events among 8 runs: (16 + 1) of 70 ways have 3 or more.
        assert!((fisher(rate(1, 4), rate(3, 4)) - 17.0 / 70.0).abs() < 1e-12);
        assert!((fisher(rate(0, 4), rate(4, 4)) - 1.0 / 70.0).abs() < 1e-12);
        assert!((fisher(rate(4, 4), rate(0, 4)) - 1.0).abs() < 1e-9);
        assert!((fisher(rate(4, 4), rate(3, 4)) - 1.0).abs() < 1e-9);
        // The vaccine trial of Mehta and Senchaudhuri (2003).
        assert!((fisher(rate(7, 15), rate(12, 15)) - 0.064).abs() < 0.001);
    }

    #[test]
    fn rates_without_runs_or_events_are_not_significant() {
        for (old, new) in [
            (rate(0, 0), rate(2, 2)),
            (rate(1, 2), rate(0, 0)),
            (rate(0, 0), rate(0, 0)),
            (rate(0, 9), rate(0, 9)),
        ] {
            assert!((fisher(old, new) - 1.0).abs() < 1e-9, "{old:?} {new:?}");
        }
    }
}
