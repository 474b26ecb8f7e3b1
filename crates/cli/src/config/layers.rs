//! The layers in which the value of a key is looked up.

use toml::Spanned;
use toml::de::DeValue;

use super::fault::{FileFault, ValueFault, about};
use super::file::FileValues;
use super::key::{KEYS, Key, Origin};
use super::settings::Settings;
use super::value::{Value, read_text};
use crate::environment::Environment;
use crate::error::{CommandError, ErrorKind};
use crate::learning::{as_json, has_json_type, span_at};
use crate::output::line_of;

/// The key whose table has diagnostics of its own.
const LEARNING: &str = "learning";

/// Variables and file, with all that is wrong in them.
pub(crate) struct Layers<'a> {
    path: &'a str,
    text: &'a str,
    values: FileValues<'a>,
    environment: &'a Environment,
    file_faults: Vec<FileFault>,
    variable_faults: Vec<String>,
}

impl<'a> Layers<'a> {
    /// The layers of a file and an environment.
    pub(super) fn new(
        path: &'a str,
        text: &'a str,
        values: FileValues<'a>,
        environment: &'a Environment,
        file_faults: Vec<FileFault>,
    ) -> Self {
        Self {
            path,
            text,
            values,
            environment,
            file_faults,
            variable_faults: Vec::new(),
        }
    }

    /// The value of the key at `index` and where it comes from. Values that
    /// are overridden are checked as well.
    pub(super) fn value<T: Value>(
        &mut self,
        index: usize,
        flag: Option<T>,
        default: impl FnOnce() -> T,
    ) -> (T, Origin) {
        let key = &KEYS[index];
        let file = self.in_file(key);
        let variable = self.in_variable(key);
        let flag = flag.map(|value| (value, Origin::Flag(key.flag.unwrap_or(key.name))));
        flag.or(variable)
            .or(file)
            .unwrap_or_else(|| (default(), Origin::Default))
    }

    fn in_file<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let value: &Spanned<DeValue<'_>> = self.values.get(key.name)?;
        let span = value.span();
        // The table of learning says itself what it takes for a string.
        let has_type = key.name == LEARNING || has_json_type(value.get_ref());
        let read = match has_type {
            true => T::read(&as_json(value.get_ref())),
            false => Err(ValueFault::Form),
        };
        match read {
            Ok(value) => {
                let origin = Origin::File {
                    path: self.path.to_owned(),
                    line: line_of(self.text, span.start),
                };
                Some((value, origin))
            }
            Err(fault) => {
                self.file_faults.push(match fault {
                    ValueFault::Form => FileFault {
                        span,
                        message: format!("`{}` must be {}", key.name, key.expected()),
                        help: None,
                    },
                    ValueFault::Content {
                        pointer,
                        path,
                        message,
                        help,
                    } => FileFault {
                        span: span_at(value.get_ref(), &pointer).unwrap_or(span),
                        message: about(&format!("`{}{path}`", key.name), &message),
                        help,
                    },
                });
                None
            }
        }
    }

    fn in_variable<T: Value>(&mut self, key: &Key) -> Option<(T, Origin)> {
        let name = key.variable();
        // An empty variable is one that nobody set.
        let text = self.environment.variable(&name)?;
        let text = Some(text.to_string_lossy()).filter(|text| !text.is_empty())?;
        match read_text(&text) {
            Ok(value) => Some((value, Origin::Variable(name))),
            Err(fault) => {
                self.variable_faults.push(match fault {
                    ValueFault::Form => {
                        format!("{name} must be {}, got \"{text}\"", key.expected())
                    }
                    ValueFault::Content { path, message, .. } => {
                        about(&format!("{name}{path}"), &message)
                    }
                });
                None
            }
        }
    }

    /// The settings, unless anything was wrong.
    ///
    /// # Errors
    /// All that was wrong, in one error.
    pub(super) fn finish(mut self, settings: Settings) -> Result<Settings, CommandError> {
        self.file_faults.sort_by_key(|fault| fault.span.start);
        let message = match (self.variable_faults.is_empty(), self.file_faults.is_empty()) {
            (true, true) => return Ok(settings),
            (true, false) => format!("the configuration {} cannot be used", self.path),
            (false, _) => self.variable_faults.join("; "),
        };
        let (path, text) = (self.path, self.text);
        let notes = self
            .file_faults
            .into_iter()
            .map(|fault| fault.note(path, text));
        Err(CommandError::new(ErrorKind::Config, message)
            .notes(notes)
            .hint("`ralph schema config` lists the keys and what they mean"))
    }
}
