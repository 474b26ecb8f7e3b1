//! What the calls of a run consumed.

use review_types::{Usage, Usd, plural};
use serde::Serialize;

/// What the calls of a run consumed together, where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "RunUsage")]
pub struct UsageReport {
    /// How many calls there were.
    pub calls: u32,
    /// Tokens read by models.
    pub input_tokens: u64,
    /// Tokens written by models.
    pub output_tokens: u64,
    /// Cost in millionths of a US dollar, of the calls whose cost is known.
    pub cost_micro_usd: u64,
    /// How many calls say nothing of their tokens.
    pub calls_without_tokens: u32,
    /// How many calls have no known cost.
    pub calls_without_cost: u32,
}

impl UsageReport {
    /// Adds a call.
    pub(super) fn add(&mut self, usage: Option<&Usage>) {
        self.calls += 1;
        let cost = usage.and_then(|usage| usage.cost_micro_usd);
        self.calls_without_cost += u32::from(cost.is_none());
        self.cost_micro_usd = self.cost_micro_usd.saturating_add(cost.unwrap_or(0));
        match usage.filter(|usage| usage.has_tokens()) {
            Some(usage) => {
                self.input_tokens = self.input_tokens.saturating_add(usage.input_tokens);
                self.output_tokens = self.output_tokens.saturating_add(usage.output_tokens);
            }
            None => self.calls_without_tokens += 1,
        }
    }

    /// All tokens that are known.
    pub(crate) fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The figures in words, for people.
    pub(crate) fn words(&self) -> String {
        let calls = plural(self.calls as usize, "call", "calls");
        let tokens = self.tokens();
        let tokens = match self.calls_without_tokens {
            0 => format!("{tokens} tokens"),
            unknown if unknown == self.calls => "unknown tokens".to_owned(),
            unknown => format!("{tokens} tokens and those of {unknown} unknown"),
        };
        let cost = Usd::from_micro(self.cost_micro_usd);
        let cost = match self.calls_without_cost {
            0 => format!("${cost}"),
            unknown if unknown == self.calls => "cost unknown".to_owned(),
            unknown => format!("${cost} and that of {unknown} unknown"),
        };
        format!("{tokens} in {calls}, {cost}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_said_and_counts_as_nothing() {
        let usage = |cost| Usage {
            input_tokens: 100,
            output_tokens: 20,
            cost_micro_usd: cost,
        };
        let words = |calls: &[Option<Usage>]| {
            let mut report = UsageReport::default();
            calls.iter().for_each(|usage| report.add(usage.as_ref()));
            report.words()
        };
        let (known, free) = (Some(usage(Some(1_500_000))), Some(usage(None)));
        assert_eq!(words(&[known]), "120 tokens in 1 call, $1.50");
        assert_eq!(words(&[known, known]), "240 tokens in 2 calls, $3.00");
        assert_eq!(words(&[free]), "120 tokens in 1 call, cost unknown");
        assert_eq!(words(&[None]), "unknown tokens in 1 call, cost unknown");
        let paid = Usage {
            cost_micro_usd: Some(1_000_000),
            ..Usage::NOTHING
        };
        assert_eq!(words(&[Some(paid)]), "unknown tokens in 1 call, $1.00");
        assert_eq!(words(&[Some(Usage::NOTHING)]), "0 tokens in 1 call, $0.00");
        assert_eq!(
            words(&[known, free, None]),
            "240 tokens and those of 1 unknown in 3 calls, $1.50 and that of 2 unknown"
        );
    }
}
