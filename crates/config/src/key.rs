//! The keys, their defaults, and where values come from.

use std::fmt;
use std::sync::LazyLock;

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use crate::toml_value::as_json;

/// A configuration file in which every key has its default.
pub const DEFAULTS: &str = include_str!("../defaults.toml");

/// The defaults as JSON.
pub(crate) static DEFAULT_VALUES: LazyLock<Json> = LazyLock::new(|| {
    let table = DeTable::parse(DEFAULTS).map(toml::Spanned::into_inner);
    let values = table.ok().and_then(|table| as_json(&DeValue::Table(table)));
    values.unwrap_or_default()
});

/// All keys.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let entries = DEFAULT_VALUES.as_object().into_iter().flatten();
    entries
        .flat_map(|(name, value)| match value.as_object() {
            Some(table) if !table.is_empty() => {
                let keys = table.iter();
                keys.map(|(key, value)| Key::new(format!("{name}.{key}"), value))
                    .collect()
            }
            _ => vec![Key::new(name.clone(), value)],
        })
        .collect()
});

/// A key of the configuration.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name with its table, such as `review.patience`.
    pub name: String,
    /// The variable that sets it, such as `RALPH_REVIEW_PATIENCE`.
    pub variable: String,
    pub(crate) default: &'static Json,
}

impl Key {
    fn new(name: String, default: &'static Json) -> Self {
        Self {
            variable: variable(&name),
            name,
            default,
        }
    }

    /// Where it is in a file: a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        pointer(&self.name)
    }

    /// The part of the name after the table.
    pub(crate) fn last(&self) -> &str {
        self.name
            .rsplit_once('.')
            .map_or(&self.name, |(_, last)| last)
    }
}

/// Where the key `name` is in a file: a JSON pointer.
pub(crate) fn pointer(name: &str) -> String {
    format!("/{}", name.replace('.', "/"))
}

/// The variable that sets the key `name`.
pub(crate) fn variable(name: &str) -> String {
    format!("RALPH_{}", name.replace('.', "_").to_ascii_uppercase())
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is not set.
    Default,
    /// A line of the configuration file.
    File {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// A variable of the environment.
    Variable(String),
    /// An option of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}
