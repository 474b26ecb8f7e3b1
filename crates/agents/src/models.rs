//! What is known of models: how much they read, and what they cost.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use review_types::{Usage, Usd};
use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::stream::{Consumption, Observed, UsageSpan};

/// Tokens that a price is for.
const PRICED: u128 = 1_000_000;

/// Bytes that are taken for a token, where tokens are not counted.
const BYTES_PER_TOKEN: usize = 3;

/// The terms of one model. Prices are for a million tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTerms {
    /// The most tokens that it reads and writes in one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<NonZeroU32>,
    /// The price of what it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Usd>,
    /// The price of what it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Usd>,
    /// The price of what it reads from the cache; that of `input` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Usd>,
    /// The price of what it writes to the cache; that of `input` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Usd>,
}

impl ModelTerms {
    /// Whether any call has a price.
    pub fn is_priced(&self) -> bool {
        self.input.is_some() && self.output.is_some()
    }

    /// What was consumed, in money, where it has a price. Parts of a millionth
    /// of a dollar count as a whole one.
    fn cost(&self, consumed: &Consumption) -> Option<u64> {
        let (input, output) = (self.input?, self.output?);
        let cached = consumed.cache_read.saturating_add(consumed.cache_write);
        let parts = [
            (consumed.input.saturating_sub(cached), input),
            (consumed.cache_read, self.cache_read.unwrap_or(input)),
            (consumed.cache_write, self.cache_write.unwrap_or(input)),
            (consumed.output, output),
        ];
        let price = |(tokens, price): (u64, Usd)| u128::from(tokens) * u128::from(price.micro());
        let sum: u128 = parts.into_iter().map(price).fold(0, u128::saturating_add);
        Some(u64::try_from(sum.div_ceil(PRICED)).unwrap_or(u64::MAX))
    }
}

/// Models by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Models(BTreeMap<String, ModelTerms>);

impl Models {
    /// The terms of a model, if they are known.
    pub fn get(&self, model: &str) -> Option<&ModelTerms> {
        self.0.get(model)
    }

    /// The models in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ModelTerms)> {
        self.0.iter().map(|(name, terms)| (name.as_str(), terms))
    }

    /// Why a prompt of this many bytes is too large for the model that is asked, if
    /// it is.
    pub(crate) fn too_large(&self, asked: Option<&Model>, bytes: usize) -> Option<String> {
        let asked = asked?;
        let window = self.get(asked.as_str())?.window?;
        let tokens = estimated_tokens(bytes);
        (tokens > u64::from(window.get())).then(|| {
            format!("the prompt has about {tokens} tokens (bytes / 3), and {asked} reads {window}")
        })
    }

    /// What a call has consumed, if that is known. Its cost is that of the table
    /// for the model that answers, else for the model that was `asked`, else the
    /// figure of the client. Figures of a whole session count without those that
    /// it had `before`.
    pub(crate) fn usage(
        &self,
        seen: &Observed,
        asked: Option<&Model>,
        before: Option<Usage>,
    ) -> Option<Usage> {
        let consumed = seen.usage.as_ref()?;
        let names = [seen.model.as_deref(), asked.map(Model::as_str)];
        let mut names = names.into_iter().flatten();
        let cost = names.find_map(|name| self.get(name)?.cost(consumed));
        let usage = Usage::from(*consumed);
        let told = Usage {
            cost_micro_usd: cost.or(usage.cost_micro_usd),
            ..usage
        };
        Some(match (consumed.span, before) {
            (UsageSpan::Session, Some(before)) => told.since(&before),
            (UsageSpan::Session, None) | (UsageSpan::Call, _) => told,
        })
    }
}

impl FromIterator<(String, ModelTerms)> for Models {
    fn from_iter<T: IntoIterator<Item = (String, ModelTerms)>>(models: T) -> Self {
        Self(models.into_iter().collect())
    }
}

/// The estimated number of tokens of this many bytes.
pub fn estimated_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Option<Usd> {
        Some(text.parse().unwrap())
    }

    const CONSUMED: Consumption = Consumption {
        input: 1_000_100,
        cache_read: 400_000,
        cache_write: 200_000,
        output: 100_000,
        cost_micro_usd: Some(7),
        span: UsageSpan::Call,
    };

    /// The cost of a call that `asked` for one model and reported another.
    fn cost(terms: &ModelTerms, asked: Option<&str>, told: Option<&str>) -> Option<u64> {
        let cheap = ModelTerms {
            input: usd("0"),
            output: usd("0"),
            ..ModelTerms::default()
        };
        let models = [("m".to_owned(), terms.clone()), ("cheap".to_owned(), cheap)];
        let models: Models = models.into_iter().collect();
        let seen = Observed {
            model: told.map(str::to_owned),
            usage: Some(CONSUMED),
            ..Observed::default()
        };
        let asked = asked.map(|name| name.parse().unwrap());
        models
            .usage(&seen, asked.as_ref(), None)
            .unwrap()
            .cost_micro_usd
    }

    #[test]
    fn the_table_comes_before_the_figure_of_the_client() {
        let terms = ModelTerms {
            input: usd("3"),
            output: usd("15"),
            ..ModelTerms::default()
        };
        let cached = ModelTerms {
            cache_read: usd("0.3"),
            cache_write: usd("3.75"),
            ..terms.clone()
        };
        let whole = Some(3_000_300 + 1_500_000);
        assert_eq!(cost(&terms, None, Some("m")), whole);
        assert_eq!(cost(&terms, Some("cheap"), Some("m")), whole);
        assert_eq!(cost(&terms, Some("m"), Some("cheap")), Some(0));
        let parts = 400_100 * 3 + 120_000 + 750_000 + 1_500_000;
        assert_eq!(cost(&cached, Some("m"), Some("x")), Some(parts));
        assert_eq!(cost(&terms, Some("x"), None), Some(7));
        let half = ModelTerms {
            output: None,
            ..terms.clone()
        };
        assert_eq!(cost(&half, Some("m"), None), Some(7));
        assert_eq!(cost(&half, Some("cheap"), Some("m")), Some(0));
        assert!(terms.is_priced() && !half.is_priced());
    }

    #[test]
    fn what_is_not_reported_is_unknown() {
        let models = Models::default();
        assert_eq!(models.usage(&Observed::default(), None, None), None);
    }

    #[test]
    fn a_part_of_a_millionth_is_a_whole_one() {
        let terms = ModelTerms {
            input: usd("0.000001"),
            output: usd("0"),
            ..ModelTerms::default()
        };
        let one = Consumption {
            input: 1,
            ..Consumption::default()
        };
        assert_eq!(terms.cost(&one), Some(1));
        let huge = Consumption {
            input: u64::MAX,
            ..Consumption::default()
        };
        assert_eq!(
            ModelTerms {
                input: usd("9000000"),
                ..terms.clone()
            }
            .cost(&huge),
            Some(u64::MAX)
        );
    }

    #[test]
    fn three_bytes_are_taken_for_a_token() {
        assert_eq!([0, 1, 3, 4].map(estimated_tokens), [0, 1, 1, 2]);
    }
}
