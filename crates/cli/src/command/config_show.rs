//! `ralph config show`: every key with its value and origin.

use review_config::{Config, Overrides};
use review_types::ExitCode;
use serde::Serialize;
use serde_json::Value as Json;

use crate::args::PlainFormat;
use crate::context::Context;
use crate::error::Ended;
use crate::output::Version;
use crate::output::style::{FAINT, RESET, STRONG};

#[derive(Serialize)]
struct Shown {
    v: Version,
    keys: Vec<ShownKey>,
}

#[derive(Serialize)]
struct ShownKey {
    key: &'static str,
    value: Json,
    origin: String,
}

/// Prints the configuration of the current folder's root.
pub(crate) fn run(context: &mut Context, format: PlainFormat) -> Ended {
    let root = context.current_root();
    let settings = context.settings(&root, Overrides::default())?;
    let keys = shown(&settings);
    match format {
        PlainFormat::Human => context.streams.print(&table(&keys))?,
        PlainFormat::Json => context.streams.print_json(&Shown { v: Version, keys })?,
    }
    Ok(ExitCode::Passed)
}

fn shown(settings: &Config) -> Vec<ShownKey> {
    let entries = settings.entries();
    let shown = entries.map(|(key, value, origin)| ShownKey {
        key: key.name,
        value,
        origin: origin.to_string(),
    });
    shown.collect()
}

fn table(keys: &[ShownKey]) -> String {
    let rows: Vec<_> = keys.iter().map(|key| (key, text(&key.value))).collect();
    let width = |longest: Option<usize>| longest.unwrap_or(0);
    let names = width(rows.iter().map(|(key, _)| key.key.len()).max());
    let values = width(rows.iter().map(|(_, value)| value.chars().count()).max()).min(40);
    rows.iter()
        .map(|(key, value)| {
            let (name, origin) = (key.key, &key.origin);
            format!("{STRONG}{name:names$}{RESET}  {value:values$}  {FAINT}{origin}{RESET}\n")
        })
        .collect()
}

/// A value as a TOML file could hold it, criteria by name.
fn text(value: &Json) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(item).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn item(item: &Json) -> String {
    match (&item["name"], &item["min_score"]) {
        (Json::String(name), Json::Number(min_score)) => format!("{name} >= {min_score}"),
        _ => item.to_string(),
    }
}
