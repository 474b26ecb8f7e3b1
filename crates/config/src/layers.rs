//! The layers in which the value of a key is looked up.

use std::ffi::OsStr;

use serde_json::Value as Json;

use crate::error::ConfigError;
use crate::fault::{FileFault, ValueFault, about};
use crate::key::{DEFAULT_VALUES, KEYS, Key, Origin, variable};
use crate::reading::{FileValues, meant};
use crate::sources::{Setting, Sources, insert};
use crate::tables::Config;
use crate::toml_value::{as_json, has_json_type, span_at};

/// Why a value of TOML cannot be the value of a key.
const NO_JSON: &str = "must not be a date, a time, nan, inf or an integer beyond 64 bits";

/// File, variables and settings, with all that is wrong in them.
pub(crate) struct Layers<'a> {
    sources: Sources<'a>,
    file: FileValues<'a>,
    in_file: Vec<FileFault>,
    outside_file: Vec<String>,
    /// The values that were found, which can be read.
    values: Json,
}

impl<'a> Layers<'a> {
    /// The layers of `sources`, in whose file are the values `file`, and `in_file` is
    /// wrong.
    pub(crate) fn new(sources: Sources<'a>, file: FileValues<'a>, in_file: Vec<FileFault>) -> Self {
        let is_set = |name: &str| {
            let value = sources.variables.get(OsStr::new(name));
            value.is_some_and(|value| !value.is_empty())
        };
        let variables = &mut sources.variables.keys();
        let has_own = variables.any(|name| name.as_encoded_bytes().starts_with(b"RALPH_"));
        let gone = sources.gone.iter().filter(|_| has_own).filter_map(|key| {
            let variable = variable(key.name);
            is_set(&variable).then(|| format!("{variable}: {}", key.message()))
        });
        let unknown = sources.settings.iter().filter_map(|setting| {
            let is_known = KEYS.iter().any(|key| setting.within(&key.name).is_some());
            (!is_known).then(|| unknown_setting(&sources, setting))
        });
        Self {
            file,
            in_file,
            outside_file: unknown.chain(gone).collect(),
            values: DEFAULT_VALUES.clone(),
            sources,
        }
    }

    /// The configuration. Values that are overridden are checked as well.
    ///
    /// # Errors
    /// All that is wrong, in one error.
    pub(crate) fn resolve(mut self) -> Result<Config, ConfigError> {
        let mut origins = Vec::with_capacity(KEYS.len());
        for key in KEYS.iter() {
            let in_file = self.value_in_file(key);
            let in_variable = self.value_in_variable(key);
            let origin = self.value_in_settings(key).or(in_variable).or(in_file);
            origins.push(origin.unwrap_or(Origin::Default));
        }
        let read = serde_json::from_value::<Config>(self.values);
        if let (Ok(config), true, true) =
            (read, self.in_file.is_empty(), self.outside_file.is_empty())
        {
            return Ok(Config { origins, ..config });
        }
        self.in_file.sort_by_key(|fault| fault.span.start);
        Err(ConfigError::Values {
            file: Box::new(self.sources.file.clone()),
            in_file: self.in_file,
            outside_file: self.outside_file,
        })
    }

    fn value_in_file(&mut self, key: &Key) -> Option<Origin> {
        let value = *self.file.get(key.name.as_str())?;
        let span = value.span();
        let read = match has_json_type(value.get_ref()) {
            true => self.put(key, vec![as_json(value.get_ref())]),
            false => Err(ValueFault::new(NO_JSON)),
        };
        match read {
            Ok(()) => Some(Origin::File {
                path: self.sources.file.name().to_owned(),
                line: self.sources.file.position(span.start).line,
            }),
            Err(fault) => {
                let span = span_at(value.get_ref(), &fault.pointer).unwrap_or(span);
                let at = format!("{}{}", key.pointer(), fault.pointer);
                let message = about(&format!("`{}{}`", key.name, fault.path), &fault.message);
                let fault = FileFault::new(self.sources.file, &at, span, message).help(fault.help);
                self.in_file.push(fault);
                None
            }
        }
    }

    fn value_in_variable(&mut self, key: &Key) -> Option<Origin> {
        // An empty variable counts as one that is not set.
        let text = self.sources.variables.get(OsStr::new(&key.variable))?;
        let text = Some(text.to_string_lossy()).filter(|text| !text.is_empty())?;
        let read = self.put(key, meanings(&text, key));
        self.found(&key.variable, read, Origin::Variable(key.variable.clone()))
    }

    /// What settings give a key: a value, or entries of the value that is below.
    fn value_in_settings(&mut self, key: &Key) -> Option<Origin> {
        let mut origin = None;
        for setting in self.sources.settings {
            let Some(path) = setting.within(&key.name) else {
                continue;
            };
            let below = self.values.pointer(&key.pointer()).cloned();
            let below = below.unwrap_or_default();
            let meanings = meanings(setting.text(), key).into_iter();
            let meanings = setting.typed().into_iter().chain(meanings).map(|entry| {
                let mut value = below.clone();
                insert(&mut value, path, entry);
                value
            });
            let read = self.put(key, meanings.collect());
            let subject = format!("{} {}", setting.option(), key.name);
            origin = self
                .found(&subject, read, Origin::Flag(setting.option()))
                .or(origin);
        }
        origin
    }

    fn found(
        &mut self,
        subject: &str,
        read: Result<(), ValueFault>,
        origin: Origin,
    ) -> Option<Origin> {
        match read {
            Ok(()) => Some(origin),
            Err(ValueFault { path, message, .. }) => {
                let subject = format!("{subject}{path}");
                self.outside_file.push(about(&subject, &message));
                None
            }
        }
    }

    /// Gives a key the first of `meanings` that can be read.
    ///
    /// # Errors
    /// The fault of one that has the form of a value, else that of the last.
    fn put(&mut self, key: &Key, meanings: Vec<Json>) -> Result<(), ValueFault> {
        let pointer = key.pointer();
        let mut found: Option<ValueFault> = None;
        for meaning in meanings {
            let Some(value) = self.values.pointer_mut(&pointer) else {
                continue;
            };
            let before = std::mem::replace(value, meaning);
            let Some(fault) = ValueFault::find(&self.values, key) else {
                return Ok(());
            };
            if let Some(value) = self.values.pointer_mut(&pointer) {
                *value = before;
            }
            if found.as_ref().is_none_or(|found| found.pointer.is_empty()) {
                found = Some(fault);
            }
        }
        Err(found.unwrap_or_else(|| ValueFault::new("it has no value")))
    }
}

/// What the value of a variable or option may mean: JSON, itself, or the words of a list.
fn meanings(text: &str, key: &Key) -> Vec<Json> {
    // JSON knows no sign and no zero in front of a number.
    let integer = text.parse::<i64>().ok().map(Json::from);
    let json = integer.or_else(|| serde_json::from_str(text).ok());
    let json = json.filter(|json| !json.is_string());
    let has_words = key.default.is_array() && !json.as_ref().is_some_and(Json::is_array);
    let words = has_words.then(|| {
        let words = text.split(',').map(str::trim);
        words.filter(|word| !word.is_empty()).collect()
    });
    let itself = Some(Json::from(text));
    [json, itself, words].into_iter().flatten().collect()
}

/// What is wrong with a setting of no key.
fn unknown_setting(sources: &Sources<'_>, setting: &Setting) -> String {
    let name = setting.key();
    if let Some(gone) = sources.gone.iter().find(|gone| gone.name == name) {
        return gone.message();
    }
    let last = name.rsplit('.').next().unwrap_or(&name);
    let near = meant(&name, last, false);
    let near = near.map(|near| format!("; did you mean `{near}`?"));
    let option = setting.option();
    format!(
        "unknown key `{name}` of {option}{}",
        near.unwrap_or_default()
    )
}
