//! What a call consumed, in the terms of all clients.

use review_types::Usage;

/// The tokens of a call, by the kinds that the client reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consumption {
    /// All tokens read by the model, those of the cache included.
    pub input: u64,
    /// The part of them that was read from the cache.
    pub cache_read: u64,
    /// The part of them that was written to the cache.
    pub cache_write: u64,
    /// All tokens written by the model, its reasoning included.
    pub output: u64,
    /// Cost in millionths of a US dollar, if the client says more than zero.
    pub cost_micro_usd: Option<u64>,
    /// What the figures are a sum of.
    pub span: UsageSpan,
}

/// What the figures of a client are a sum of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageSpan {
    /// This call.
    #[default]
    Call,
    /// All calls of the session so far.
    Session,
}

impl Consumption {
    /// What remains when `earlier`, the last total of the same session, is
    /// taken away; figures of one call stay as they are.
    #[must_use]
    pub fn since(self, earlier: &Self) -> Self {
        match self.span {
            UsageSpan::Call => self,
            UsageSpan::Session => Self {
                input: self.input.saturating_sub(earlier.input),
                cache_read: self.cache_read.saturating_sub(earlier.cache_read),
                cache_write: self.cache_write.saturating_sub(earlier.cache_write),
                output: self.output.saturating_sub(earlier.output),
                cost_micro_usd: self.cost_micro_usd,
                span: UsageSpan::Call,
            },
        }
    }

    /// Adds the figures of a further step.
    pub(crate) fn add(&mut self, step: &Self) {
        self.input = self.input.saturating_add(step.input);
        self.cache_read = self.cache_read.saturating_add(step.cache_read);
        self.cache_write = self.cache_write.saturating_add(step.cache_write);
        self.output = self.output.saturating_add(step.output);
        let costs = self.cost_micro_usd.into_iter().chain(step.cost_micro_usd);
        self.cost_micro_usd = costs.reduce(u64::saturating_add);
    }

    /// Takes the higher of each two figures, where one is reported again.
    pub(crate) fn raise(&mut self, told: &Self) {
        self.input = self.input.max(told.input);
        self.cache_read = self.cache_read.max(told.cache_read);
        self.cache_write = self.cache_write.max(told.cache_write);
        self.output = self.output.max(told.output);
        self.cost_micro_usd = self.cost_micro_usd.max(told.cost_micro_usd);
    }

    /// Whether any token was counted.
    pub(crate) fn is_known(&self) -> bool {
        self.input > 0 || self.output > 0
    }
}

impl From<Consumption> for Usage {
    fn from(consumption: Consumption) -> Self {
        Self {
            input_tokens: consumption.input,
            output_tokens: consumption.output,
            cost_micro_usd: consumption.cost_micro_usd,
        }
    }
}

/// A cost in millionths of a dollar; a client that writes zero knows nothing.
pub(crate) fn micro_usd(usd: f64) -> Option<u64> {
    (usd > 0.0).then(|| (usd * 1e6).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: Consumption = Consumption {
        input: 200,
        cache_read: 50,
        cache_write: 7,
        output: 40,
        cost_micro_usd: None,
        span: UsageSpan::Session,
    };

    #[test]
    fn totals_of_a_session_and_of_a_call_are_distinguished() {
        let earlier = Consumption {
            input: 120,
            cache_read: 60,
            cache_write: 3,
            output: 10,
            ..TOTAL
        };
        let call = Consumption {
            input: 80,
            cache_read: 0,
            cache_write: 4,
            output: 30,
            cost_micro_usd: None,
            span: UsageSpan::Call,
        };
        assert_eq!(TOTAL.since(&earlier), call);
        assert_eq!(call.since(&earlier), call);
    }

    #[test]
    fn the_higher_of_two_figures_for_the_same_counts() {
        let mut raised = TOTAL;
        raised.raise(&Consumption {
            input: 201,
            cache_read: 49,
            cache_write: 8,
            output: 39,
            cost_micro_usd: Some(1),
            span: UsageSpan::Session,
        });
        let expected = Consumption {
            input: 201,
            cache_write: 8,
            cost_micro_usd: Some(1),
            ..TOTAL
        };
        assert_eq!(raised, expected);
    }

    #[test]
    fn steps_add_up_and_only_a_cost_above_zero_is_known() {
        let mut sum = Consumption::default();
        assert!(!sum.is_known());
        for cost in [0.0, 0.002, 0.000_000_1] {
            sum.add(&Consumption {
                cost_micro_usd: micro_usd(cost),
                ..TOTAL
            });
        }
        let expected = Consumption {
            input: 600,
            cache_read: 150,
            cache_write: 21,
            output: 120,
            cost_micro_usd: Some(2_001),
            span: UsageSpan::Call,
        };
        assert_eq!(sum, expected);
        assert!(sum.is_known());
        let usage = Usage {
            input_tokens: 600,
            output_tokens: 120,
            cost_micro_usd: Some(2_001),
        };
        assert_eq!(Usage::from(sum), usage);
        assert_eq!([micro_usd(-1.0), micro_usd(f64::NAN)], [None, None]);
    }
}
