//! The settings of a file as values: TOML, JSON and INI.

use serde_json::{Map, Value};

/// The settings of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings(Map<String, Value>);

/// The tables of a `package.json` that name packages.
const PACKAGES: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];

impl Settings {
    /// Reads the settings of a file, by its name; `None` if it is not valid.
    pub(super) fn read(path: &str, content: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(content).ok()?;
        let value = match path.rsplit('.').next() {
            Some("toml") => serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()?,
            Some("json") => serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?,
            _ => ini(text),
        };
        match value {
            Value::Object(table) => Some(Self(table)),
            _ => None,
        }
    }

    /// Splits them into those that configure a runner, by path, and all others: `keys`, the
    /// scripts of these names, and the sources of these packages, other than a registry.
    pub(super) fn split(
        self,
        keys: &[String],
        scripts: &[String],
        sources: &[String],
    ) -> (Map<String, Value>, Map<String, Value>) {
        let mut others = self.0;
        let mut found = Map::new();
        let scripts = scripts.iter().map(|script| ["scripts", script.as_str()]);
        let keys = keys.iter().map(|key| key.split('.').collect::<Vec<_>>());
        for key in keys.chain(scripts.map(Vec::from)) {
            take(&mut others, &key, "", &mut found);
        }
        for table in PACKAGES {
            let packages = others.get(table).and_then(Value::as_object);
            for package in sources {
                let source = packages.and_then(|packages| packages.get(package)?.as_str());
                if let Some(source) = source.filter(|source| is_elsewhere(source)) {
                    found.insert(format!("{table}.{package}"), source.into());
                }
            }
        }
        // A table of which nothing else is left is none.
        others.retain(|_, value| value.as_object().is_none_or(|table| !table.is_empty()));
        (found, others)
    }
}

/// Moves the values of a key out of a table.
fn take(table: &mut Map<String, Value>, key: &[&str], at: &str, found: &mut Map<String, Value>) {
    let Some((first, rest)) = key.split_first() else {
        return;
    };
    let names: Vec<String> = match first.strip_suffix('*') {
        Some(start) => {
            let names = table.keys().filter(|name| name.starts_with(start));
            names.cloned().collect()
        }
        None => vec![(*first).to_owned()],
    };
    for name in names {
        if rest.is_empty() {
            if let Some(value) = table.remove(&name) {
                found.insert(format!("{at}{name}"), value);
            }
        } else if let Some(Value::Object(inner)) = table.get_mut(&name) {
            take(inner, rest, &format!("{at}{name}."), found);
        }
    }
}

/// Returns whether a version of npm is a place other than a registry: a folder, an address,
/// or another package.
fn is_elsewhere(version: &str) -> bool {
    version.contains([':', '/']) || version.starts_with('.')
}

/// Reads the sections of an INI file; a value goes on in indented lines.
fn ini(text: &str) -> Value {
    let mut sections = Map::new();
    let mut section = String::new();
    let mut key = String::new();
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = bare
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            name.trim().clone_into(&mut section);
            key.clear();
            continue;
        }
        let entries = sections
            .entry(section.clone())
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(entries) = entries else {
            continue;
        };
        let is_more = line.starts_with([' ', '\t']) && !key.is_empty();
        if let (true, Some(Value::String(value))) = (is_more, entries.get_mut(&key)) {
            value.push('\n');
            value.push_str(bare);
            continue;
        }
        let (name, value) = bare.split_once(['=', ':']).unwrap_or((bare, ""));
        name.trim().clone_into(&mut key);
        entries.insert(key.clone(), value.trim().into());
    }
    Value::Object(sections)
}
