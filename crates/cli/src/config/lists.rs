//! Lists of names in the configuration.

use std::collections::BTreeSet;

use review_lint::Rule;
use serde_json::{Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::value::Value;

/// The texts of a list in the file.
fn texts<'v>(value: &'v DeValue<'_>) -> Option<Vec<&'v str>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.get_ref().as_str()).collect()
}

/// The texts of a list in a variable: separated by commas, or in JSON.
fn words(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let words = text.split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    })
}

fn list_schema() -> Json {
    json!({ "type": "array", "items": { "type": "string" } })
}

/// Names of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names(Vec<String>);

impl Names {
    /// The names in their order.
    pub(crate) fn as_slice(&self) -> &[String] {
        &self.0
    }

    fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Result<Self, ValueFault> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names
            .iter()
            .any(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            return Err(ValueFault::Form);
        }
        Ok(Self(names))
    }
}

impl Value for Names {
    const EXPECTED: &'static str = "a list of names of variables";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        Self::new(words(text))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        Self::new(texts(value).ok_or(ValueFault::Form)?)
    }

    fn to_json(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        list_schema()
    }
}

/// Rules by code, by name, or by the letter that their codes begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleSelection {
    written: Vec<String>,
    rules: BTreeSet<Rule>,
}

impl RuleSelection {
    /// The rules that are named.
    pub(crate) fn rules(&self) -> &BTreeSet<Rule> {
        &self.rules
    }

    fn new<S: Into<String>>(written: impl IntoIterator<Item = S>) -> Result<Self, ValueFault> {
        let written: Vec<String> = written.into_iter().map(Into::into).collect();
        let mut rules = BTreeSet::new();
        for selector in &written {
            let matching = Rule::matching(selector);
            if matching.is_empty() {
                return Err(no_rule(selector));
            }
            rules.extend(matching);
        }
        Ok(Self { written, rules })
    }
}

fn no_rule(selector: &str) -> ValueFault {
    let nearest = match selector.parse::<Rule>() {
        Err(unknown) => unknown.nearest,
        Ok(_) => Vec::new(),
    };
    let help = match nearest.first() {
        Some(name) => format!("did you mean `{name}`?"),
        None => "`ralph explain` lists the rules".to_owned(),
    };
    ValueFault::Told {
        message: format!("no rule is named \"{selector}\""),
        help: Some(help),
    }
}

impl Value for RuleSelection {
    const EXPECTED: &'static str = "a list of rules";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        Self::new(words(text))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        Self::new(texts(value).ok_or(ValueFault::Form)?)
    }

    fn to_json(&self) -> Json {
        json!(self.written)
    }

    fn schema() -> Json {
        list_schema()
    }
}
