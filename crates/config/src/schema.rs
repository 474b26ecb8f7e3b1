//! The JSON schema of the configuration file.

use serde_json::{Map, Value as Json, json};

use crate::key::Key;
use crate::keys::KEYS;

/// The JSON schema of `ralph.toml`.
#[must_use]
pub fn config_schema() -> Json {
    let mut properties = Map::new();
    for key in KEYS {
        match key.name.split_once('.') {
            None => {
                properties.insert(key.name.to_owned(), described(key));
            }
            Some((table, last)) => {
                let table = properties.entry(table).or_insert_with(empty_table);
                table["properties"][last] = described(key);
            }
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Config",
        "description": "The configuration file ralph.toml.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn empty_table() -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": {} })
}

fn described(key: &Key) -> Json {
    let mut schema = (key.schema)();
    schema["description"] = json!(key.doc.trim());
    schema["default"] = (key.default)();
    schema
}
