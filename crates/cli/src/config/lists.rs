//! Lists of names in the configuration.

use serde_json::{Value as Json, json};
use toml::de::DeValue;

use super::fault::ValueFault;
use super::value::Value;

/// The texts of a list in the file.
pub(super) fn texts<'v>(value: &'v DeValue<'_>) -> Option<Vec<&'v str>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.get_ref().as_str()).collect()
}

/// The texts of a list in a variable: separated by commas, or in JSON.
pub(super) fn words(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let words = text.split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    })
}

#[cfg(test)]
pub(super) fn list_schema() -> Json {
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

    #[cfg(test)]
    fn schema() -> Json {
        list_schema()
    }
}

/// Headings of sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headings(Vec<String>);

impl Headings {
    /// The headings in their order.
    pub(crate) fn as_slice(&self) -> &[String] {
        &self.0
    }

    fn new<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Result<Self, ValueFault> {
        let headings: Vec<String> = headings.into_iter().map(Into::into).collect();
        let is_blank = |heading: &String| heading.trim().is_empty();
        if headings.iter().any(is_blank) {
            return Err(ValueFault::Form);
        }
        Ok(Self(headings))
    }
}

impl Value for Headings {
    const EXPECTED: &'static str = "a list of headings";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        Self::new(words(text))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        Self::new(texts(value).ok_or(ValueFault::Form)?)
    }

    fn to_json(&self) -> Json {
        json!(self.0)
    }

    #[cfg(test)]
    fn schema() -> Json {
        list_schema()
    }
}
