//! What is known of models in the configuration.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use review_agents::{ModelTerms, Models};
use review_types::Usd;
use serde_json::{Map, Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::tables::{Fields, each_in_text, each_in_toml};
use super::value::Value;

const KEYS: [&str; 5] = ["window", "input", "output", "cache_read", "cache_write"];

/// What a price is, after "must be".
const PRICE: &str = "US dollars for a million tokens, such as 2.5";

/// Models by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModelTable(Models);

impl ModelTable {
    /// The models.
    pub(crate) fn models(&self) -> &Models {
        &self.0
    }
}

fn terms(name: &str, fields: &Map<String, Json>) -> Result<ModelTerms, ValueFault> {
    let table = format!("models.{name}");
    let fields = Fields::new(&table, fields, &KEYS)?;
    let count = |value: &Json| NonZeroU32::new(u32::try_from(value.as_u64()?).ok()?);
    let price = |key| {
        fields.get(key, PRICE, |value| match value {
            Json::Number(number) => number.to_string().parse::<Usd>().ok(),
            Json::String(text) => text.parse().ok(),
            _ => None,
        })
    };
    Ok(ModelTerms {
        window: fields.get("window", NonZeroU32::EXPECTED, count)?,
        input: price("input")?,
        output: price("output")?,
        cache_read: price("cache_read")?,
        cache_write: price("cache_write")?,
    })
}

impl Value for ModelTable {
    const EXPECTED: &'static str = "a table of models, each with window and prices";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let mut models = BTreeMap::new();
        each_in_text(text, |name, fields| {
            models.insert(name.to_owned(), terms(name, fields)?);
            Ok(())
        })?;
        Ok(Self(models.into_iter().collect()))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let mut models = BTreeMap::new();
        each_in_toml(value, |name, fields| {
            models.insert(name.to_owned(), terms(name, fields)?);
            Ok(())
        })?;
        Ok(Self(models.into_iter().collect()))
    }

    fn to_json(&self) -> Json {
        let price = |price: Option<Usd>| price.map(|price| price.to_string());
        let each = |(name, terms): (&str, &ModelTerms)| {
            let fields = [
                ("window", json!(terms.window)),
                ("input", json!(price(terms.input))),
                ("output", json!(price(terms.output))),
                ("cache_read", json!(price(terms.cache_read))),
                ("cache_write", json!(price(terms.cache_write))),
            ];
            let known = fields.into_iter().filter(|(_, value)| !value.is_null());
            let fields = known.map(|(key, value)| (key.to_owned(), value)).collect();
            (name.to_owned(), Json::Object(fields))
        };
        Json::Object(self.0.iter().map(each).collect())
    }

    #[cfg(test)]
    fn schema() -> Json {
        let price = json!({ "anyOf": [
            { "type": "number", "minimum": 0 },
            { "type": "string", "pattern": "^[0-9]+([.][0-9]{1,6})?$" },
        ] });
        json!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "window": NonZeroU32::schema(),
                    "input": price,
                    "output": price,
                    "cache_read": price,
                    "cache_write": price,
                },
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ModelTable, String> {
        ModelTable::from_text(text)
            .map_err(|fault| fault.said("models", ModelTable::EXPECTED).message)
    }

    #[test]
    fn prices_are_numbers_or_texts_and_shown_exactly() {
        let text = r#"{"a/b": {"window": 200000, "input": 3, "output": 15.5,
            "cache_read": "0.3", "cache_write": 0}, "c": {}}"#;
        let models = read(text).unwrap();
        let shown = json!({
            "a/b": {"window": 200_000, "input": "3.00", "output": "15.50",
                "cache_read": "0.30", "cache_write": "0.00"},
            "c": {},
        });
        assert_eq!(models.to_json(), shown);
        assert_eq!(read(&shown.to_string()), Ok(models));
    }

    #[test]
    fn what_is_wrong_with_a_model_is_said() {
        for (text, message) in [
            (
                r#"{"m": {"inputs": 1}}"#,
                "`models`: unknown key `inputs` in `models.m`",
            ),
            (
                r#"{"m": {"input": -1}}"#,
                "`models`: `input` of `models.m` must be US dollars for a million tokens, such as 2.5",
            ),
            (
                r#"{"m": {"output": true}}"#,
                "`models`: `output` of `models.m` must be US dollars for a million tokens, such as 2.5",
            ),
            (
                r#"{"m": {"window": 0}}"#,
                "`models`: `window` of `models.m` must be a whole number from 1",
            ),
            (
                r#"{"m": 1}"#,
                "`models` must be a table of models, each with window and prices",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
