//! What a loop remembers of the feedback of its rounds, and when it alerts.

use std::num::NonZeroU32;

use review_types::{MemoryKey, plural};
use serde::{Deserialize, Serialize};

/// The window of the last rounds, and what makes an issue a repeated one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedbackMemory {
    /// The field of a request in which a reviewer is told of the rounds in the
    /// window.
    pub key: MemoryKey,
    /// How many of the last rounds a reviewer is told of, and in how many it
    /// counts whether a finding was raised.
    pub window: NonZeroU32,
    /// Raised in so many rounds of the window, a finding is a repeated issue; a
    /// disputed one ends the loop. More than the window has is never.
    pub threshold: NonZeroU32,
    /// Whether repeated issues are told.
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
    /// Whether a finding that was raised in these rounds is a repeated issue in
    /// round `iteration`.
    pub(crate) fn is_repeated(&self, raised: &[u32], iteration: u32) -> bool {
        let is_recent = |round: &&u32| round.saturating_add(self.window.get()) > iteration;
        raised.iter().filter(is_recent).count() >= self.threshold.get() as usize
    }

    /// How often a repeated issue was raised, in words.
    pub(crate) fn often(&self) -> String {
        let times = plural(self.threshold.get() as usize, "time", "times");
        let rounds = plural(self.window.get() as usize, "round", "rounds");
        format!("{times} within {rounds}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_repeated_when_the_window_holds_as_many_rounds_as_the_threshold() {
        let memory = FeedbackMemory::default();
        assert_eq!(memory.often(), "3 times within 5 rounds");
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
