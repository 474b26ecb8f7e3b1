//! How many rounds of feedback a loop remembers, and when an issue counts as repeated.

use std::num::NonZeroU32;

use review_types::{MemoryKey, plural};
use serde::{Deserialize, Serialize};

/// The window of recent rounds, and the threshold for a repeated issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackMemory {
    /// The field of a request that lists the rounds in the window.
    pub key: MemoryKey,
    /// The number of recent rounds that a reviewer is shown, and in which findings
    /// are counted.
    pub window: NonZeroU32,
    /// The number of rounds of the window in which a finding must be raised to be a
    /// repeated issue. A repeated disputed issue ends the loop. A threshold above
    /// the window is never reached.
    pub threshold: NonZeroU32,
    /// Whether repeated issues are reported.
    pub alerts: bool,
}

impl Default for FeedbackMemory {
    fn default() -> Self {
        let count = |count| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        Self {
            key: MemoryKey::default(),
            window: count(5),
            threshold: count(3),
            alerts: true,
        }
    }
}

impl FeedbackMemory {
    /// Returns whether a finding that was raised in these rounds is a repeated
    /// issue in round `iteration`.
    pub(crate) fn is_repeated(&self, raised: &[u32], iteration: u32) -> bool {
        let is_recent = |round: &&u32| round.saturating_add(self.window.get()) > iteration;
        raised.iter().filter(is_recent).count() >= self.threshold.get() as usize
    }

    /// Describes how often a repeated issue was raised.
    pub(crate) fn often(&self) -> String {
        let times = plural(self.threshold.get() as usize, "time", "times");
        let rounds = plural(self.window.get() as usize, "round", "rounds");
        format!("at least {times} within {rounds}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_repeated_when_the_window_has_threshold_many_rounds_with_it() {
        let memory = FeedbackMemory::default();
        assert_eq!(memory.often(), "at least 3 times within 5 rounds");
        for (raised, iteration, expected) in [
            (&[1, 3, 5][..], 5, true),
            (&[1, 3, 5], 6, false),
            (&[1, 2, 3, 7], 7, false),
            (&[4, 5], 5, false),
            (&[], 1, false),
        ] {
            let is_repeated = memory.is_repeated(raised, iteration);
            assert_eq!(is_repeated, expected, "{raised:?} {iteration}");
        }
        let narrow = FeedbackMemory {
            window: NonZeroU32::new(2).unwrap(),
            threshold: NonZeroU32::new(2).unwrap(),
            ..memory
        };
        assert!(narrow.is_repeated(&[4, 5], 5));
        assert!(!narrow.is_repeated(&[3, 5], 5));
        let wide = FeedbackMemory {
            window: NonZeroU32::MAX,
            ..narrow
        };
        assert!(wide.is_repeated(&[1, u32::MAX], u32::MAX - 1));
    }
}
