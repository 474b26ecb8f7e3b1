//! What a configuration is resolved from.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::str::FromStr;

use serde_json::{Map, Value as Json};
use toml::de::{DeTable, DeValue};

use crate::file::ConfigFile;
use crate::key::{Key, Origin};
use crate::toml_value::as_json;

/// What a configuration is resolved from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The configuration file.
    pub file: &'a ConfigFile,
    /// The environment.
    pub variables: &'a BTreeMap<OsString, OsString>,
    /// Each `--set KEY=VALUE` and then the options of keys; the last one of a key wins.
    pub settings: &'a [Setting],
    /// Keys of earlier versions.
    pub gone: &'a [GoneKey],
}

/// A key of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoneKey {
    /// Its name with its table.
    pub name: &'static str,
    /// What to do about it, to be read after "is".
    pub now: &'static str,
}

/// The option that sets a key of any name.
const SET: &str = "--set";

/// The value of a key for one run, as an option of the command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub(crate) path: Vec<String>,
    text: String,
    pub(crate) origin: Origin,
}

/// Why a string is not a [`Setting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be KEY=VALUE, such as review.patience=5")]
pub struct SettingError;

/// Reads the value of `--set`.
impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').ok_or(SettingError)?;
        Ok(Self {
            path: path_of(key).ok_or(SettingError)?,
            text: value.trim().to_owned(),
            origin: Origin::Flag(SET),
        })
    }
}

/// The parts of a TOML key, which may be quoted.
fn path_of(key: &str) -> Option<Vec<String>> {
    let text = format!("{key} = 0");
    let mut table = DeTable::parse(&text).ok()?.into_inner();
    let mut path = Vec::new();
    loop {
        let (key, value) = std::mem::take(&mut table).into_iter().next()?;
        path.push(key.into_inner().into_owned());
        match value.into_inner() {
            DeValue::Table(below) => table = below,
            _ => return Some(path),
        }
    }
}

impl Setting {
    /// The value that the option `option` gives `key`, if it is there.
    pub fn of_option<T: ToString>(
        option: &'static str,
        key: &str,
        value: Option<T>,
    ) -> Option<Self> {
        Some(Self {
            path: parts(key),
            text: value?.to_string(),
            origin: Origin::Flag(option),
        })
    }

    /// The value that the variable of a key gives it. An empty variable counts as one that
    /// is not set.
    pub(crate) fn of_variable(key: &Key, variables: &BTreeMap<OsString, OsString>) -> Option<Self> {
        let text = variables.get(OsStr::new(&key.variable))?;
        (!text.is_empty()).then(|| Self {
            path: parts(&key.name),
            text: text.to_string_lossy().into_owned(),
            origin: Origin::Variable(key.variable.clone()),
        })
    }

    /// The key, as it was given.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// Whether it sets the key `name`, or an entry of it.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.path.starts_with(&parts(name))
    }

    /// What its value may mean: TOML, JSON, itself, or the words of a list.
    pub(crate) fn meanings(&self, key: &Key) -> Vec<Json> {
        // JSON and TOML know no zero in front of a number.
        let integer = self.text.parse::<i64>().ok().map(Json::from);
        let toml = integer.or_else(|| self.as_toml());
        let json = serde_json::from_str(&self.text).ok();
        let has_words = key.default.is_array() && !json.as_ref().is_some_and(Json::is_array);
        let words = has_words.then(|| {
            let words = self.text.split(',').map(str::trim);
            words.filter(|word| !word.is_empty()).collect()
        });
        let itself = Some(Json::from(&*self.text));
        [toml, json, itself, words].into_iter().flatten().collect()
    }

    /// Its value as TOML, where it is some.
    fn as_toml(&self) -> Option<Json> {
        let document = format!("value = {}", self.text);
        let table = DeTable::parse(&document).ok()?;
        let table = Some(table.get_ref()).filter(|table| table.len() == 1);
        as_json(table?.get("value")?.get_ref())
    }
}

/// The name of a key in its parts.
pub(crate) fn parts(name: &str) -> Vec<String> {
    name.split('.').map(str::to_owned).collect()
}

/// Puts `entry` at `path` into `value`, and adds the tables around it that are missing.
pub(crate) fn insert(value: &mut Json, path: &[String], entry: Json) {
    let mut at = value;
    for part in path {
        if !at.is_object() {
            *at = Json::Object(Map::new());
        }
        at = &mut at[part.as_str()];
    }
    *at = entry;
}
