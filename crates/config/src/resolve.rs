//! How the value of each key is resolved: its default, then the file, its variable, and
//! the settings.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::Range;

use review_agents::{Backend, Chain, ProfileName};
use review_document::near::nearest;
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{ConfigError, FileFault, ValueFault};
use crate::key::{DEFAULT_VALUES, KEYS, Key, Origin, variable};
use crate::sources::{Setting, Sources, insert, parts};
use crate::tables::Config;
use crate::toml_value::{as_json, span_at};

/// Why a value of TOML cannot be the value of a key.
const NO_JSON: &str = "must not be a date, a time, nan, inf or an integer beyond 64 bits";

/// What to do about a key or value that is wrong.
const HELP: &str = "`ralph schema config` lists the keys and what they mean";

/// The values of a file by the names of their keys.
type FileValues<'t> = BTreeMap<&'static str, &'t Spanned<DeValue<'t>>>;

/// The values so far, which can be read, and all that is wrong.
struct Resolution<'a> {
    sources: Sources<'a>,
    values: Json,
    in_file: Vec<FileFault>,
    outside_file: Vec<String>,
}

impl Config {
    /// Resolves each key: its option, else `--set`, else its variable `RALPH_…`,
    /// else the file, else its default. Values that are overridden are checked as well.
    ///
    /// # Errors
    /// When a key or value in any layer is wrong, or a backend names a profile
    /// that is not there.
    pub fn resolve(sources: Sources<'_>) -> Result<Self, ConfigError> {
        let (table, errors) = DeTable::parse_recoverable(sources.file.text());
        let mut resolution = Resolution {
            sources,
            values: DEFAULT_VALUES.clone(),
            in_file: Vec::new(),
            outside_file: Vec::new(),
        };
        for error in &errors {
            let message = error.message().replace('\n', ", ");
            resolution.fault(error.span().unwrap_or(0..0), message, None);
        }
        let mut in_file = FileValues::new();
        // What is recovered from text that is not TOML says nothing about its keys.
        if errors.is_empty() {
            resolution.collect("", table.get_ref(), &mut in_file);
        }
        resolution.check_names();
        let values = KEYS.iter().map(|key| (key, in_file.get(&*key.name)));
        let origins = values
            .map(|(key, value)| resolution.put_layers(key, value.copied()))
            .collect();
        let mut error = ConfigError {
            file: Box::new(sources.file.clone()),
            in_file: resolution.in_file,
            outside_file: resolution.outside_file,
            help: HELP.to_owned(),
        };
        error.in_file.sort_by_key(|fault| fault.span.start);
        let is_right = error.in_file.is_empty() && error.outside_file.is_empty();
        match serde_json::from_value::<Self>(resolution.values) {
            Ok(config) if is_right => match config.missing_profile() {
                None => return Ok(Self { origins, ..config }),
                Some((message, help)) => {
                    error.outside_file.push(message);
                    error.help = help;
                }
            },
            Ok(_) | Err(_) => {}
        }
        Err(error)
    }

    /// What is wrong with the first backend whose profile is not there, and what to do
    /// about it.
    fn missing_profile(&self) -> Option<(String, String)> {
        let others = self.task.implementer.iter().flat_map(Chain::iter);
        let all = self.reviewer.iter().chain(others).chain([&self.applier]);
        let (backend, name) = all
            .filter_map(|backend| match backend {
                Backend::Http(name) => Some((backend, name)),
                _ => None,
            })
            .find(|(_, name)| !self.http.contains_key(*name))?;
        let near = nearest(name.as_str(), self.http.keys().map(ProfileName::as_str), 1);
        let help = match near.first() {
            Some(near) => format!("did you mean `http:{near}`?"),
            None => format!("add [http.{name}] with `api` and `model` to ralph.toml"),
        };
        let message = format!("backend `{backend}`: table [http.{name}] not found");
        Some((message, help))
    }
}

impl Resolution<'_> {
    fn fault(&mut self, span: Range<usize>, message: String, help: Option<String>) {
        self.in_file.push(FileFault {
            position: self.sources.file.position(span.start),
            span,
            message,
            help,
        });
    }

    /// Finds the values of known keys in a table of the file; every other key is a fault.
    /// The depth is bounded by that of the known keys.
    fn collect<'t>(&mut self, above: &str, table: &'t DeTable<'t>, found: &mut FileValues<'t>) {
        for (key, value) in table {
            let name = format!("{above}{}", key.get_ref());
            let below = format!("{name}.");
            if let Some(known) = KEYS.iter().find(|known| known.name == name) {
                found.insert(&known.name, value);
            } else if let Some(message) = self.gone(&name) {
                if !self.sources.file.is_earlier() {
                    self.fault(key.span(), message, None);
                }
            } else if !self.has_table(&below) {
                let help = meant(&name).map(|meant| format!("did you mean `{meant}`?"));
                self.fault(key.span(), format!("unknown key `{name}`"), help);
            } else if let Some(table) = value.get_ref().as_table() {
                self.collect(&below, table, found);
            } else {
                self.fault(value.span(), format!("`{name}` must be a table"), None);
            }
        }
    }

    /// Whether keys that exist, or did, start with `below`.
    fn has_table(&self, below: &str) -> bool {
        let gone = self.sources.gone.iter().map(|key| key.name);
        let mut names = KEYS.iter().map(|key| &*key.name).chain(gone);
        names.any(|name| name.starts_with(below))
    }

    /// What to do about a key of an earlier version.
    fn gone(&self, name: &str) -> Option<String> {
        let gone = self.sources.gone.iter().find(|gone| gone.name == name)?;
        Some(format!("`{name}` is {}", gone.now))
    }

    /// Finds settings of no key, and variables of keys that are gone.
    fn check_names(&mut self) {
        let sources = self.sources;
        for setting in sources.settings {
            if KEYS.iter().any(|key| setting.is_of(&key.name)) {
                continue;
            }
            let name = setting.key();
            let near = meant(&name).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            let unknown = format!("unknown key `{name}` of {}{near}", setting.origin);
            self.outside_file.push(self.gone(&name).unwrap_or(unknown));
        }
        for gone in sources.gone {
            let variable = variable(gone.name);
            let value = sources.variables.get(OsStr::new(&variable));
            if value.is_some_and(|value| !value.is_empty()) {
                let message = self.gone(gone.name).unwrap_or_default();
                self.outside_file.push(format!("{variable}: {message}"));
            }
        }
    }

    /// Gives a key the value of each layer that has one, and returns where the last one
    /// that can be read comes from.
    fn put_layers(&mut self, key: &Key, in_file: Option<&Spanned<DeValue<'_>>>) -> Origin {
        let mut origin = Origin::Default;
        if let Some(value) = in_file {
            let read = match as_json(value.get_ref()) {
                Some(value) => self.put(key, &parts(&key.name), vec![value]),
                None => Err(ValueFault::new(NO_JSON)),
            };
            match read {
                Ok(()) => origin = self.sources.file.origin(value.span().start),
                Err(fault) => {
                    let span = span_at(value.get_ref(), &fault.pointer);
                    let message = format!("`{}{}`: {}", key.name, fault.path, fault.message);
                    self.fault(span.unwrap_or(value.span()), message, fault.help);
                }
            }
        }
        let variable = Setting::of_variable(key, self.sources.variables);
        let settings = variable.iter().chain(self.sources.settings);
        for setting in settings.filter(|setting| setting.is_of(&key.name)) {
            match self.put(key, &setting.path, setting.meanings(key)) {
                Ok(()) => origin = setting.origin.clone(),
                Err(fault) => {
                    let subject = match &setting.origin {
                        Origin::Flag(option) => format!("{option} {}", key.name),
                        other => other.to_string(),
                    };
                    let message = format!("{subject}{}: {}", fault.path, fault.message);
                    self.outside_file.push(message);
                }
            }
        }
        origin
    }

    /// Puts the first of `meanings` that can be read at `path`, which is in a key.
    ///
    /// # Errors
    /// The fault of one that has the form of a value, else that of the last.
    fn put(&mut self, key: &Key, path: &[String], meanings: Vec<Json>) -> Result<(), ValueFault> {
        let mut found = ValueFault::new("it has no value");
        for meaning in meanings {
            let mut values = self.values.clone();
            insert(&mut values, path, meaning);
            match ValueFault::find(&values, key) {
                None => {
                    self.values = values;
                    return Ok(());
                }
                Some(fault) if found.pointer.is_empty() => found = fault,
                Some(_) => {}
            }
        }
        Err(found)
    }
}

/// The key or table that was probably meant: one with a name like it, or a key of another
/// table.
fn meant(name: &str) -> Option<&'static str> {
    let names = || KEYS.iter().map(|known| known.name.as_str());
    let tables = names().filter_map(|known| Some(known.split_once('.')?.0));
    let tables = tables.filter(|_| !name.contains('.'));
    let last = name.rsplit('.').next().unwrap_or(name);
    let near = [nearest(name, names(), 1), nearest(name, tables, 1)].concat();
    near.first().copied().or_else(|| {
        let near = nearest(last, KEYS.iter().map(Key::last), 1);
        let known = KEYS.iter().find(|known| near.contains(&known.last()))?;
        Some(known.name.as_str())
    })
}
