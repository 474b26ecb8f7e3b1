//! Rules in the configuration: lists of them, their severities, and the files
//! in which they are off.

use std::collections::{BTreeMap, BTreeSet};

use review_lint::{FileIgnores, Glob, Profile, Rule, Selector, Severity, UnknownRule};
use serde_json::{Map, Value as Json, json};
use toml::de::{DeTable, DeValue};

use super::fault::ValueFault;
#[cfg(test)]
use super::lists::list_schema;
use super::lists::{texts, words};
use super::value::{Value, by_word};

/// A selector, or the fault that it is none.
fn selector(word: &str) -> Result<Selector, ValueFault> {
    word.parse().map_err(|unknown: UnknownRule| {
        let help = match unknown.nearest.first() {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`ralph explain` lists the rules".to_owned(),
        };
        ValueFault::Told {
            message: format!("no rule is named \"{word}\""),
            help: Some(help),
        }
    })
}

/// The entries of a table in a variable, which is a JSON object.
fn object(text: &str) -> Result<Map<String, Json>, ValueFault> {
    serde_json::from_str(text).map_err(|_| ValueFault::Form)
}

/// The entries of a table in the file.
fn entries<'v, 't>(value: &'v DeValue<'t>) -> Result<&'v DeTable<'t>, ValueFault> {
    value.as_table().ok_or(ValueFault::Form)
}

/// Rules by code, name, group, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selectors {
    written: Vec<String>,
    selectors: Vec<Selector>,
}

impl Selectors {
    /// All rules.
    pub(super) fn all() -> Self {
        Self {
            written: vec![Selector::All.to_string()],
            selectors: vec![Selector::All],
        }
    }

    /// The selectors in their order.
    pub(super) fn as_slice(&self) -> &[Selector] {
        &self.selectors
    }

    /// The rules that are named.
    fn rules(&self) -> BTreeSet<Rule> {
        self.selectors.iter().flat_map(|one| one.rules()).collect()
    }

    fn new<S: Into<String>>(written: impl IntoIterator<Item = S>) -> Result<Self, ValueFault> {
        let written: Vec<String> = written.into_iter().map(Into::into).collect();
        let selectors = written.iter().map(|word| selector(word));
        Ok(Self {
            selectors: selectors.collect::<Result<_, _>>()?,
            written,
        })
    }
}

impl Value for Selectors {
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

    #[cfg(test)]
    fn schema() -> Json {
        list_schema()
    }
}

/// The severities of rules, the selectors that name fewer rules last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Severities(BTreeMap<Selector, Severity>);

impl Severities {
    /// The severity of each rule that has one.
    pub(super) fn by_rule(&self) -> BTreeMap<Rule, Severity> {
        let each = |(selector, severity): (&Selector, &Severity)| {
            let severity = *severity;
            selector.rules().map(move |rule| (rule, severity))
        };
        self.0.iter().flat_map(each).collect()
    }

    /// The rules that are named by their own codes or names.
    pub(super) fn named(&self) -> impl Iterator<Item = Rule> {
        let own = self.0.keys().filter(|selector| selector.is_own());
        own.flat_map(|selector| selector.rules())
    }

    fn new<'v>(
        entries: impl Iterator<Item = (&'v str, Option<&'v str>)>,
    ) -> Result<Self, ValueFault> {
        let mut severities = BTreeMap::new();
        for (word, severity) in entries {
            let severity = severity.ok_or(ValueFault::Form)?;
            let severity = by_word(severity, &Severity::ALL, Severity::as_str)?;
            severities.insert(selector(word)?, severity);
        }
        Ok(Self(severities))
    }
}

impl Value for Severities {
    const EXPECTED: &'static str = "a table that gives rules error, warning or info";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let object = object(text)?;
        Self::new(
            object
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str())),
        )
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let mut all = Self::default();
        for (key, value) in entries(value)? {
            let one = std::iter::once((key.get_ref().as_ref(), value.get_ref().as_str()));
            all.0
                .extend(Self::new(one).map_err(|fault| fault.at(key.span()))?.0);
        }
        Ok(all)
    }

    fn to_json(&self) -> Json {
        let each =
            |(selector, severity): (&Selector, &Severity)| (selector.to_string(), json!(severity));
        Json::Object(self.0.iter().map(each).collect())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({
            "type": "object",
            "additionalProperties": { "enum": ["error", "warning", "info"] },
        })
    }
}

/// The rules that are off in the files of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PerFileIgnores(Vec<(Glob, Selectors)>);

impl PerFileIgnores {
    /// The rules that each pattern switches off.
    pub(super) fn by_files(&self) -> Vec<FileIgnores> {
        let each = |(files, rules): &(Glob, Selectors)| FileIgnores {
            files: files.clone(),
            rules: rules.rules(),
        };
        self.0.iter().map(each).collect()
    }

    fn new<'v>(
        entries: impl Iterator<Item = (&'v str, Option<Vec<&'v str>>)>,
    ) -> Result<Self, ValueFault> {
        let mut ignores = Vec::new();
        for (pattern, rules) in entries {
            let glob = pattern
                .parse()
                .map_err(|bad: review_lint::BadGlob| ValueFault::told(bad))?;
            ignores.push((glob, Selectors::new(rules.ok_or(ValueFault::Form)?)?));
        }
        Ok(Self(ignores))
    }
}

impl Value for PerFileIgnores {
    const EXPECTED: &'static str = "a table that gives patterns for files a list of rules";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        let object = object(text)?;
        let words =
            |value: &'_ Json| -> Option<Vec<String>> { serde_json::from_value(value.clone()).ok() };
        let lists: Vec<_> = object
            .iter()
            .map(|(key, value)| (key, words(value)))
            .collect();
        Self::new(lists.iter().map(|(key, words)| {
            let words = words.as_ref();
            (
                key.as_str(),
                words.map(|words| words.iter().map(String::as_str).collect()),
            )
        }))
    }

    fn from_toml(value: &DeValue<'_>) -> Result<Self, ValueFault> {
        let mut all = Self::default();
        for (key, value) in entries(value)? {
            let one = std::iter::once((key.get_ref().as_ref(), texts(value.get_ref())));
            all.0
                .extend(Self::new(one).map_err(|fault| fault.at(key.span()))?.0);
        }
        Ok(all)
    }

    fn to_json(&self) -> Json {
        let each = |(glob, rules): &(Glob, Selectors)| (glob.to_string(), rules.to_json());
        Json::Object(self.0.iter().map(each).collect())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "type": "object", "additionalProperties": list_schema() })
    }
}

impl Value for Profile {
    const EXPECTED: &'static str = "default or ears";

    fn from_text(text: &str) -> Result<Self, ValueFault> {
        by_word(text, &Self::ALL, Self::as_str)
    }

    fn to_json(&self) -> Json {
        json!(self.as_str())
    }

    #[cfg(test)]
    fn schema() -> Json {
        json!({ "enum": ["default", "ears"] })
    }
}
