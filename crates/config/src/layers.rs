//! The layers in which the value of a key is looked up.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::error::ConfigError;
use crate::fault::{FileFault, ValueFault, VariableFault, about};
use crate::file::ConfigFile;
use crate::key::{Key, Origin};
use crate::learning;
use crate::reading::FileValues;
use crate::toml_value::{as_json, has_json_type, span_at};
use crate::value::{Value, read_text};

/// Variables and file, with all that is wrong in them.
pub(crate) struct Layers<'a> {
    file: &'a ConfigFile,
    values: FileValues<'a>,
    variables: &'a BTreeMap<OsString, OsString>,
    in_file: Vec<FileFault>,
    in_variables: Vec<VariableFault>,
}

impl<'a> Layers<'a> {
    /// The layers of `file`, of which `values` could be read and `in_file` is
    /// wrong, and of `variables`.
    pub(crate) fn new(
        file: &'a ConfigFile,
        values: FileValues<'a>,
        in_file: Vec<FileFault>,
        variables: &'a BTreeMap<OsString, OsString>,
    ) -> Self {
        Self {
            file,
            values,
            variables,
            in_file,
            in_variables: Vec::new(),
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
        let flag = flag.map(|value| (value, Origin::Flag(key.flag.unwrap_or(key.name))));
        flag.or(variable)
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
                    path: self.file.name().to_owned(),
                    line: self.file.position(span.start).line,
                };
                Some((value, origin))
            }
            Err(fault) => {
                let at = key.pointer();
                self.in_file.push(match fault {
                    ValueFault::Form => {
                        let message = format!("`{}` must be {}", key.name, key.expected());
                        FileFault::new(self.file, &at, span, message)
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
                        FileFault::new(self.file, &at, span, message).help(help)
                    }
                });
                None
            }
        }
    }

    fn value_in_variable<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let variable = key.variable();
        // An empty variable counts as one that is not set.
        let text = self.variables.get(OsStr::new(&variable))?;
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
                self.in_variables.push(VariableFault { variable, message });
                None
            }
        }
    }

    /// Checks that nothing was wrong.
    ///
    /// # Errors
    /// All that was wrong, in one error.
    pub(crate) fn finish(mut self) -> Result<(), ConfigError> {
        if self.in_file.is_empty() && self.in_variables.is_empty() {
            return Ok(());
        }
        self.in_file.sort_by_key(|fault| fault.span.start);
        Err(ConfigError::Values {
            file: Box::new(self.file.clone()),
            in_file: self.in_file,
            in_variables: self.in_variables,
        })
    }
}
