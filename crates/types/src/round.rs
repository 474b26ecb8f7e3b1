//! Previous rounds, as a reviewer is shown them.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{FeedbackItem, TakenDecision, Verdict};

/// Number of a request within its session, from 1.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Iteration(NonZeroU32);

impl<'de> Deserialize<'de> for Iteration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let iteration = u32::try_from(number).ok().and_then(Self::new);
        iteration.ok_or_else(|| {
            let most = u32::MAX;
            D::Error::custom(format_args!(
                "expected integer from 1 to {most}, found {number}"
            ))
        })
    }
}

impl Iteration {
    /// The first request of a session.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Returns the iteration of a number; `None` for 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// Returns the number itself.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// Returns the next iteration, unless the number would overflow.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The result of a previous round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastRound {
    /// Number of the round in its loop, from 1.
    pub iteration: Iteration,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its feedback.
    pub feedback: Vec<PastItem>,
}

/// An item of a previous round, and its decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PastItem {
    /// The item.
    #[serde(flatten)]
    pub item: FeedbackItem,
    /// The decision, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<TakenDecision>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_count_from_1() {
        assert_eq!(Iteration::new(0), None);
        assert_eq!(Iteration::FIRST.get(), 1);
        assert_eq!(Iteration::FIRST.next(), Iteration::new(2));
        assert_eq!(Iteration::new(u32::MAX).unwrap().next(), None);
    }
}
