//! Every key of the configuration with its value and origin.

use serde::Serialize;
use serde_json::Value as Json;

use crate::style::{FAINT, RESET, STRONG};

/// The configuration. This is the object that `--format json` prints.
#[derive(Debug, Serialize)]
pub struct ConfigReport {
    /// The keys, in order.
    pub keys: Vec<ShownKey>,
}

/// A key with its value.
#[derive(Debug, Serialize)]
pub struct ShownKey {
    /// Its name.
    pub key: &'static str,
    /// Its value.
    pub value: Json,
    /// Where the value comes from.
    pub origin: String,
}

/// Returns the configuration as users read it.
#[must_use]
pub fn human(report: &ConfigReport) -> String {
    let keys = report.keys.iter();
    let rows: Vec<_> = keys.map(|key| (key, text(&key.value))).collect();
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
