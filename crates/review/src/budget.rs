//! The limits on what the calls of a run may consume. No call starts where a limit is
//! reached, and one that reaches it while it runs is cut ([`Allowance::cut`]).

use std::num::NonZeroU64;

use review_types::{Usage, Usd, plural};
use serde::{Deserialize, Serialize};

use crate::review_loop::LimitReached;

/// The most calls of a run, and the most that they may consume together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Calls, failed ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// Tokens read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU64>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Usd>,
}

impl Budget {
    /// Returns whether there is any limit.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Returns this budget, with the limits of `other` where it has none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            max_calls: self.max_calls.or(other.max_calls),
            max_tokens: self.max_tokens.or(other.max_tokens),
            max_cost: self.max_cost.or(other.max_cost),
        }
    }
}

/// The calls of a run, and what those that ended consumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consumed {
    /// The calls that were started.
    calls: u32,
    tokens: u64,
    cost: u64,
    are_tokens_unknown: bool,
    is_cost_unknown: bool,
}

impl Consumed {
    /// Counts a call that starts.
    pub fn start(&mut self) {
        self.calls = self.calls.saturating_add(1);
    }

    /// Adds what a call consumed; `None` if that is unknown.
    pub fn settle(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage else {
            self.are_tokens_unknown = true;
            self.is_cost_unknown = true;
            return;
        };
        self.tokens = self.tokens.saturating_add(usage.tokens());
        self.are_tokens_unknown |= !usage.has_tokens();
        match usage.cost_micro_usd {
            Some(cost) => self.cost = self.cost.saturating_add(cost),
            None => self.is_cost_unknown = true,
        }
    }

    /// Drops the unknown amounts, so that a resumed run can continue.
    pub fn forgive(&mut self) {
        self.are_tokens_unknown = false;
        self.is_cost_unknown = false;
    }

    /// Returns what further calls may consume together.
    #[must_use]
    pub fn left(&self, limits: &Budget) -> Allowance {
        let tokens = |max: NonZeroU64| max.get().saturating_sub(self.tokens);
        let cost = |max: Usd| Usd::from_micro(max.micro().saturating_sub(self.cost));
        Allowance {
            tokens: limits.max_tokens.map(tokens),
            cost: limits.max_cost.map(cost),
        }
    }

    /// Returns the limit that allows no further call, and the reason.
    #[must_use]
    pub fn exhausted(&self, limits: &Budget) -> Option<(LimitReached, String)> {
        if let Some(max) = limits.max_cost {
            if self.is_cost_unknown {
                let reason =
                    format!("the cost of a call is unknown, so the limit of ${max} cannot be kept");
                return Some((LimitReached::Cost, reason));
            }
            if self.cost >= max.micro() {
                let cost = Usd::from_micro(self.cost);
                let reason = format!("the run's limit of ${max} is used up: ${cost}");
                return Some((LimitReached::Cost, reason));
            }
        }
        if let Some(max) = limits.max_tokens {
            if self.are_tokens_unknown {
                let reason = format!(
                    "the tokens of a call are unknown, so the limit of {max} tokens cannot be kept"
                );
                return Some((LimitReached::Tokens, reason));
            }
            let spent = self.tokens;
            if spent >= max.get() {
                let reason = format!("the run's limit of {max} tokens is used up: {spent}");
                return Some((LimitReached::Tokens, reason));
            }
        }
        let max = limits.max_calls.filter(|max| self.calls >= *max)?;
        let calls = plural(max as usize, "call", "calls");
        let reason = format!("all {calls} of the run are used up");
        Some((LimitReached::Calls, reason))
    }
}

/// The allowance of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowance {
    /// Tokens read and written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Usd>,
}

impl Allowance {
    /// Returns whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Returns what is left when some of it is reserved.
    #[must_use]
    pub fn without(self, reserved: &Self) -> Self {
        let tokens = |left: u64| left.saturating_sub(reserved.tokens.unwrap_or_default());
        let cost = |left: Usd| {
            let reserved = reserved.cost.map_or(0, Usd::micro);
            Usd::from_micro(left.micro().saturating_sub(reserved))
        };
        Self {
            tokens: self.tokens.map(tokens),
            cost: self.cost.map(cost),
        }
    }

    /// Returns an equal part of it.
    #[must_use]
    pub fn part_of(self, parts: NonZeroU64) -> Self {
        Self {
            tokens: self.tokens.map(|tokens| tokens / parts),
            cost: self.cost.map(|cost| Usd::from_micro(cost.micro() / parts)),
        }
    }

    /// Returns the limit that a call exceeded; cost comes before tokens.
    #[must_use]
    pub fn cut(&self, usage: &Usage) -> Option<LimitReached> {
        let cost = usage.cost_micro_usd.map(Usd::from_micro);
        if self.cost.zip(cost).is_some_and(|(most, cost)| cost > most) {
            return Some(LimitReached::Cost);
        }
        let is_over = self.tokens.is_some_and(|most| usage.tokens() > most);
        is_over.then_some(LimitReached::Tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(tokens: u64, cost: Option<u64>) -> Usage {
        Usage {
            input_tokens: tokens - 1,
            output_tokens: 1,
            cost_micro_usd: cost,
        }
    }

    const BUDGET: Budget = Budget {
        max_calls: None,
        max_tokens: NonZeroU64::new(100),
        max_cost: Some(Usd::from_micro(50)),
    };

    #[test]
    fn a_budget_is_used_up_when_the_limit_is_reached() {
        let mut spent = Consumed::default();
        spent.settle(Some(&usage(60, Some(20))));
        assert_eq!(spent.exhausted(&BUDGET), None);
        let left = Allowance {
            tokens: Some(40),
            cost: Some(Usd::from_micro(30)),
        };
        assert_eq!(spent.left(&BUDGET), left);
        let mut costly = spent;
        costly.settle(Some(&usage(1, Some(30))));
        let reason = "the run's limit of $0.00005 is used up: $0.00005".to_owned();
        assert_eq!(
            costly.exhausted(&BUDGET),
            Some((LimitReached::Cost, reason))
        );
        spent.settle(Some(&usage(41, Some(0))));
        let reason = "the run's limit of 100 tokens is used up: 101".to_owned();
        assert_eq!(
            spent.exhausted(&BUDGET),
            Some((LimitReached::Tokens, reason))
        );
        assert_eq!(spent.left(&BUDGET).tokens, Some(0));
        assert_eq!(spent.exhausted(&Budget::default()), None);
    }

    #[test]
    fn unknown_usage_ends_a_limited_run_instead_of_counting_as_zero() {
        let tokens_alone = Budget {
            max_cost: None,
            ..BUDGET
        };
        let mut spent = Consumed::default();
        spent.settle(Some(&usage(2, None)));
        assert_eq!(spent.exhausted(&tokens_alone), None);
        let (cut, reason) = spent.exhausted(&BUDGET).unwrap();
        assert_eq!(cut, LimitReached::Cost);
        assert_eq!(
            reason,
            "the cost of a call is unknown, so the limit of $0.00005 cannot be kept"
        );
        spent.settle(None);
        let (cut, reason) = spent.exhausted(&tokens_alone).unwrap();
        assert_eq!(cut, LimitReached::Tokens);
        assert_eq!(
            reason,
            "the tokens of a call are unknown, so the limit of 100 tokens cannot be kept"
        );
        let mut told = Consumed::default();
        told.settle(Some(&Usage {
            cost_micro_usd: Some(7),
            ..Usage::NOTHING
        }));
        assert_eq!(told.exhausted(&tokens_alone), Some((cut, reason)));
        spent.forgive();
        assert_eq!(spent.exhausted(&BUDGET), None);
    }

    #[test]
    fn a_call_ends_when_it_exceeds_its_allowance() {
        let allowance = Allowance {
            tokens: Some(10),
            cost: Some(Usd::from_micro(5)),
        };
        for (usage, cut) in [
            (usage(10, Some(5)), None),
            (usage(11, Some(5)), Some(LimitReached::Tokens)),
            (usage(11, Some(6)), Some(LimitReached::Cost)),
            (usage(10, None), None),
        ] {
            assert_eq!(allowance.cut(&usage), cut);
        }
        assert!(Allowance::default().is_unlimited() && !allowance.is_unlimited());
        assert_eq!(Allowance::default().cut(&usage(99, Some(99))), None);
    }

    #[test]
    fn each_limit_is_inherited_separately() {
        let cost = Budget {
            max_tokens: None,
            ..BUDGET
        };
        assert_eq!(cost.or(BUDGET), BUDGET);
        assert!(cost.is_any() && !Budget::default().is_any());
    }
}
