//! What a configuration is resolved from.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::str::FromStr;

use serde_json::{Map, Value as Json};
use toml::de::{DeTable, DeValue};

use crate::file::ConfigFile;
use crate::toml_value::{as_json, has_json_type};

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

impl GoneKey {
    pub(crate) fn message(&self) -> String {
        format!("`{}` is {}", self.name, self.now)
    }
}

/// The option that sets a key of any name.
const SET: &str = "--set";

/// The value of a key for one run, as an option of the command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    path: Vec<String>,
    text: String,
    option: &'static str,
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
            option: SET,
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
            path: key.split('.').map(str::to_owned).collect(),
            text: value?.to_string(),
            option,
        })
    }

    /// The key, as it was given.
    pub fn key(&self) -> String {
        self.path.join(".")
    }

    /// Where its value is within that of the key `name`; `None` for another key.
    pub(crate) fn within(&self, name: &str) -> Option<&[String]> {
        let mut path = self.path.as_slice();
        for part in name.split('.') {
            let (first, rest) = path.split_first()?;
            path = (first == part).then_some(rest)?;
        }
        Some(path)
    }

    pub(crate) fn option(&self) -> &'static str {
        self.option
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Its value as TOML, where it is some.
    pub(crate) fn typed(&self) -> Option<Json> {
        let document = format!("value = {}", self.text);
        let table = DeTable::parse(&document).ok()?;
        let table = Some(table.get_ref()).filter(|table| table.len() == 1);
        let value = table?.get("value")?.get_ref();
        has_json_type(value).then(|| as_json(value))
    }
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
