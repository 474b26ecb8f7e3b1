//! The layers in which the value of a key is looked up.

use std::ffi::OsStr;

use serde_json::{Map, Value as Json};

use crate::error::ConfigError;
use crate::fault::{FileFault, ValueFault, about};
use crate::key::{Key, Origin, variable};
use crate::keys::KEYS;
use crate::learning;
use crate::reading::{FileValues, meant};
use crate::sources::{Sources, insert};
use crate::toml_value::{as_json, has_json_type, span_at};
use crate::value::{Value, read_text};

/// The option that sets a key of any name.
const SET: &str = "--set";

/// Settings, variables and file, with all that is wrong in them.
pub(crate) struct Layers<'a> {
    sources: Sources<'a>,
    values: FileValues<'a>,
    in_file: Vec<FileFault>,
    outside_file: Vec<String>,
}

impl<'a> Layers<'a> {
    /// The layers of `sources`, of whose file `values` could be read and `in_file` is
    /// wrong.
    pub(crate) fn new(
        sources: Sources<'a>,
        values: FileValues<'a>,
        in_file: Vec<FileFault>,
    ) -> Self {
        let is_set = |name: String| {
            let value = sources.variables.get(OsStr::new(&name));
            value.is_some_and(|value| !value.is_empty())
        };
        let gone = sources.gone.iter();
        let gone = gone.filter(|key| is_set(variable(key.name)));
        let gone = gone.map(|key| format!("{}: {}", variable(key.name), key.message()));
        let unknown = sources.settings.iter().filter_map(|setting| {
            let is_known = KEYS.iter().any(|key| setting.within(key.name).is_some());
            (!is_known).then(|| unknown_setting(&sources, &setting.key()))
        });
        Self {
            values,
            in_file,
            outside_file: unknown.chain(gone).collect(),
            sources,
        }
    }

    /// The value of a key and where it comes from. Values that are overridden
    /// are checked as well.
    pub(crate) fn value<T: Value>(
        &mut self,
        key: &Key,
        flag: Option<T>,
        default: impl FnOnce() -> T,
    ) -> (T, Origin) {
        let file = self.value_in_file(key);
        let variable = self.value_in_variable(key);
        let set = self.value_in_settings(key);
        let flag = flag.map(|value| (value, Origin::Flag(key.flag.unwrap_or(key.name))));
        flag.or(set)
            .or(variable)
            .or(file)
            .unwrap_or_else(|| (default(), Origin::Default))
    }

    fn value_in_file<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let value = *self.values.get(key.name)?;
        let span = value.span();
        // The table of learning says itself what it takes for a string.
        let has_type = key.name == learning::TABLE || has_json_type(value.get_ref());
        let read = match has_type {
            true => T::read(&as_json(value.get_ref())),
            false => Err(ValueFault::Form),
        };
        match read {
            Ok(value) => {
                let origin = Origin::File {
                    path: self.sources.file.name().to_owned(),
                    line: self.sources.file.position(span.start).line,
                };
                Some((value, origin))
            }
            Err(fault) => {
                let at = key.pointer();
                self.in_file.push(match fault {
                    ValueFault::Form => {
                        let message = format!("`{}` must be {}", key.name, key.expected());
                        FileFault::new(self.sources.file, &at, span, message)
                    }
                    ValueFault::Content {
                        pointer,
                        path,
                        message,
                        help,
                    } => {
                        let span = span_at(value.get_ref(), &pointer).unwrap_or(span);
                        let message = about(&format!("`{}{path}`", key.name), &message);
                        let at = format!("{at}{pointer}");
                        FileFault::new(self.sources.file, &at, span, message).help(help)
                    }
                });
                None
            }
        }
    }

    fn value_in_variable<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let variable = key.variable();
        // An empty variable counts as one that is not set.
        let text = self.sources.variables.get(OsStr::new(&variable))?;
        let text = Some(text.to_string_lossy()).filter(|text| !text.is_empty())?;
        match read_text(&text) {
            Ok(value) => Some((value, Origin::Variable(variable))),
            Err(fault) => {
                let message = match fault {
                    ValueFault::Form => {
                        format!("{variable} must be {}, got \"{text}\"", key.expected())
                    }
                    ValueFault::Content { path, message, .. } => {
                        about(&format!("{variable}{path}"), &message)
                    }
                };
                self.outside_file.push(message);
                None
            }
        }
    }

    /// The value that `--set` gives a key, or entries of the value that is below.
    fn value_in_settings<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let mut value = None;
        let mut whole = None;
        for setting in self.sources.settings {
            match setting.within(key.name) {
                Some([]) => {
                    whole = Some(setting.text());
                    value = Some(setting.value());
                }
                Some(path) => {
                    whole = None;
                    let value = value.get_or_insert_with(|| self.table_below(key));
                    insert(value, path, setting.value());
                }
                None => {}
            }
        }
        let value = value?;
        let read = T::read(&value);
        let read = read.or_else(|fault| match whole.map(read_text) {
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) | None => Err(fault),
        });
        match read {
            Ok(value) => Some((value, Origin::Flag(SET))),
            Err(ValueFault::Form) => {
                let got = whole.map(|text| format!(", got \"{text}\""));
                let message = format!("must be {}{}", key.expected(), got.unwrap_or_default());
                self.outside_file
                    .push(format!("{SET} {} {message}", key.name));
                None
            }
            Err(ValueFault::Content { path, message, .. }) => {
                let subject = format!("{SET} {}{path}", key.name);
                self.outside_file.push(about(&subject, &message));
                None
            }
        }
    }

    /// The table that variable or file give a key.
    fn table_below(&self, key: &Key) -> Json {
        let variable = self.sources.variables.get(OsStr::new(&key.variable()));
        let of_variable = variable.and_then(|text| serde_json::from_str(text.to_str()?).ok());
        let of_file = || Some(as_json(self.values.get(key.name)?.get_ref()));
        of_variable
            .or_else(of_file)
            .unwrap_or_else(|| Json::Object(Map::new()))
    }

    /// Checks that nothing was wrong.
    ///
    /// # Errors
    /// All that was wrong, in one error.
    pub(crate) fn finish(mut self) -> Result<(), ConfigError> {
        if self.in_file.is_empty() && self.outside_file.is_empty() {
            return Ok(());
        }
        self.in_file.sort_by_key(|fault| fault.span.start);
        Err(ConfigError::Values {
            file: Box::new(self.sources.file.clone()),
            in_file: self.in_file,
            outside_file: self.outside_file,
        })
    }
}

/// What is wrong with a setting of no key.
fn unknown_setting(sources: &Sources<'_>, name: &str) -> String {
    if let Some(gone) = sources.gone.iter().find(|gone| gone.name == name) {
        return gone.message();
    }
    let last = name.rsplit('.').next().unwrap_or(name);
    let near = meant(KEYS, name, last, false);
    let near = near.map(|near| format!("; did you mean `{near}`?"));
    format!("unknown key `{name}` of {SET}{}", near.unwrap_or_default())
}
