//! Reads objects of the protocol that programs wrote: exact JSON, through the `serde`
//! implementations of their types.

use review_types::excerpt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::{Path, Segment};

use crate::error::MAX_QUOTED;
use crate::object::no_key_is_contradicted;
use crate::parse::{Inexact, Node, Property, Value, exact};
use crate::spelling::ScoreNumber;
use crate::{Field, SchemaError};

/// Parses an object of exact JSON.
pub(super) fn tree(bytes: &[u8]) -> Result<(&str, Node<'_>), SchemaError> {
    let error = |what: String, at: usize| {
        SchemaError::json(format!("invalid JSON: {what} at byte {at}")).at(at)
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|fault| error("invalid UTF-8".to_owned(), fault.valid_up_to()))?;
    let node = exact(text).map_err(|Inexact { what, at }| error(what, at))?;
    Ok((text, node))
}

/// Reads a value.
pub(super) fn value<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, SchemaError> {
    let (text, root) = tree(bytes)?;
    no_key_is_contradicted(&root)?;
    let given = plain(&root);
    let read: T = serde_path_to_error::deserialize(&given)
        .map_err(|error| fault(error.path(), &error.inner().to_string(), &root, text))?;
    let written = serde_json::to_value(&read).unwrap_or_default();
    if !has_objects_of(&written, &given) {
        let message = "expected objects, found an array in place of one";
        return Err(SchemaError::json(message).at(root.span.start));
    }
    Ok(read)
}

/// Returns whether a value has an object wherever the value that was read from it has one:
/// `serde` takes an array of its fields as well.
fn has_objects_of(read: &Json, given: &Json) -> bool {
    match (read, given) {
        (Json::Object(read), Json::Object(given)) => {
            let mut fields = read
                .iter()
                .filter_map(|(key, read)| Some((read, given.get(key)?)));
            fields.all(|(read, given)| has_objects_of(read, given))
        }
        (Json::Array(read), Json::Array(given)) => read
            .iter()
            .zip(given)
            .all(|(read, given)| has_objects_of(read, given)),
        (Json::Object(_), _) => false,
        _ => true,
    }
}

fn fault(path: &Path, message: &str, root: &Node<'_>, text: &str) -> SchemaError {
    let mut node = root;
    let mut field = Field::at("");
    for segment in path {
        let inner = match segment {
            Segment::Map { key } => {
                field = field.key(key);
                let mut members = node.members().iter();
                members.find(|one| one.key == *key).map(|one| &one.node)
            }
            Segment::Seq { index } => {
                field = field.index(*index);
                node.items().and_then(|items| items.get(*index))
            }
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        node = inner.unwrap_or(node);
    }
    let quoted = |start: &str| message.strip_prefix(start)?.split('`').next();
    let expected = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "))
        .or_else(|| message.strip_prefix("invalid length "))
        .and_then(|rest| rest.rsplit_once(", expected "));
    let message = if let Some(key) = quoted("missing field `") {
        field = field.key(key);
        "is missing".to_owned()
    } else if let Some(word) = quoted("unknown variant `") {
        let known: Vec<_> = message.split('`').skip(3).step_by(2).collect();
        let word = excerpt(word, MAX_QUOTED);
        format!("must be one of [{}], got: {word}", known.join(" "))
    } else if let Some((_, expected)) = expected {
        let got = node.shown(text);
        let expected = match expected {
            "a string" | "string or map" | "map with a single key" => "string",
            "a sequence" => "array",
            "a map" => "object",
            "a boolean" => "boolean",
            "u8" | "u16" | "u32" | "u64" | "i64" => "integer",
            "a nonzero u32" => "integer from 1 to 4294967295",
            "f64" => "number",
            other if other.starts_with("struct ") => "object",
            other => other,
        };
        format!("expected {expected}, found {got}")
    } else {
        message.to_owned()
    };
    if field.as_str().is_empty() {
        field = Field::json();
    }
    SchemaError::of(field, message).at(node.span.start)
}

/// Returns a value as `serde` reads it: null is as good as missing, and an integer may be
/// written as `1.0`.
fn plain(node: &Node<'_>) -> Json {
    match &node.value {
        Value::Object(members) => {
            let members = members.iter().filter(|member| !member.node.is_null());
            let plain = |member: &Property<'_>| (member.key.to_string(), plain(&member.node));
            members.map(plain).collect()
        }
        Value::List(items) => items.iter().map(plain).collect(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an integer that f64 has exactly"
        )]
        Value::Number(raw) => match ScoreNumber::of(raw).filter(|number| !number.is_plain) {
            Some(number) if number.value.abs() < 9e15 => (number.value as i64).into(),
            _ => node.json(),
        },
        Value::Null | Value::Bool(_) | Value::Text(_) => node.json(),
    }
}
