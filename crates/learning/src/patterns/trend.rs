//! The trend of a pattern.

use review_types::{Timestamp, closed_list};
use serde::Serialize;

const SECONDS_A_DAY: u64 = 24 * 60 * 60;
/// The length of a window in days.
const WINDOW_DAYS: i64 = 30;

/// The number of occurrences of a pattern in each of three periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Windows {
    /// In the last 30 days.
    pub current: u64,
    /// In the 30 days before those of `current`.
    pub previous: u64,
    /// Earlier.
    pub older: u64,
}

closed_list!(
    /// The trend of a pattern.
    Trend {
        /// It was first seen in the last 30 days.
        New => "new",
        /// It is at least half as frequent again as in the previous 30 days.
        Increasing => "increasing",
        /// It is about as frequent.
        Stable => "stable",
        /// It is at most half as frequent.
        Decreasing => "decreasing",
        /// It was not seen in the last 30 days.
        Resolved => "resolved",
        /// It recurred after at least 30 days without an occurrence.
        Reopened => "reopened",
    }
);

impl Windows {
    /// Counts an occurrence as of `now`. A time in the future counts as today.
    pub fn add(&mut self, at: Timestamp, now: Timestamp) {
        match days_between(at, now) / WINDOW_DAYS {
            0 => self.current += 1,
            1 => self.previous += 1,
            _ => self.older += 1,
        }
    }

    /// The trend of the counts.
    pub(crate) const fn trend(self) -> Trend {
        let Self {
            current,
            previous,
            older,
        } = self;
        match (current, previous, older) {
            (0, _, _) => Trend::Resolved,
            (_, 0, 0) => Trend::New,
            (_, 0, _) => Trend::Reopened,
            _ if current.saturating_mul(2) >= previous.saturating_mul(3) => Trend::Increasing,
            _ if current.saturating_mul(2) <= previous => Trend::Decreasing,
            _ => Trend::Stable,
        }
    }
}

/// The number of full days from `at` to `now`; 0 if `at` is in the future.
pub(super) fn days_between(at: Timestamp, now: Timestamp) -> i64 {
    (now.since(at).as_secs() / SECONDS_A_DAY).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    #[test]
    fn windows_have_30_days() {
        let now = Timestamp::from_unix_ms(400 * DAY_MS);
        let mut windows = Windows::default();
        let days = |days: i64| Timestamp::from_unix_ms((400 - days) * DAY_MS);
        for at in [
            days(-9),
            days(0),
            days(29),
            days(30),
            days(59),
            days(60),
            days(399),
        ] {
            windows.add(at, now);
        }
        let expected = Windows {
            current: 3,
            previous: 2,
            older: 2,
        };
        assert_eq!(windows, expected);
    }

    #[test]
    fn the_trend_follows_from_the_windows() {
        for (current, previous, older, trend) in [
            (1, 0, 0, Trend::New),
            (3, 2, 0, Trend::Increasing),
            (4, 3, 0, Trend::Stable),
            (2, 3, 9, Trend::Stable),
            (1, 2, 0, Trend::Decreasing),
            (0, 2, 0, Trend::Resolved),
            (0, 0, 5, Trend::Resolved),
            (1, 0, 5, Trend::Reopened),
        ] {
            let windows = Windows {
                current,
                previous,
                older,
            };
            assert_eq!(windows.trend(), trend, "{windows:?}");
        }
    }
}
