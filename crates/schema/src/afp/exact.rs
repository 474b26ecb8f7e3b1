//! Reads objects of the protocol that programs wrote: exact JSON, through the `serde`
//! implementations of their types.

use std::collections::BTreeSet;
use std::fmt;

use review_types::excerpt;
use serde::de::value::{Error as Fault, MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_path_to_error::{Path, Segment};

use crate::SchemaError;
use crate::error::MAX_QUOTED;
use crate::judge::contradicts;
use crate::parse::{Inexact, Node, Value, exact};
use crate::spelling::ScoreNumber;

/// An error in an object of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfpError {
    /// The path of the invalid value, empty for that of the object itself.
    pub path: String,
    /// The error message.
    pub message: String,
    /// The offset in bytes of the value, or of the object that lacks it.
    pub at: usize,
}

impl fmt::Display for AfpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for AfpError {}

impl From<SchemaError> for AfpError {
    fn from(error: SchemaError) -> Self {
        Self {
            path: error.field.as_str().to_owned(),
            message: error.message,
            at: error.at.unwrap_or(0),
        }
    }
}

/// Parses an object of exact JSON.
pub(super) fn tree(bytes: &[u8]) -> Result<(&str, Node<'_>), AfpError> {
    let error = |what: String, at: usize| AfpError {
        path: String::new(),
        message: format!("invalid JSON: {what} at byte {at}"),
        at,
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|fault| error("invalid UTF-8".to_owned(), fault.valid_up_to()))?;
    let node = exact(text).map_err(|Inexact { what, at }| error(what, at))?;
    Ok((text, node))
}

/// Reads a value.
pub(super) fn value<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AfpError> {
    let (text, root) = tree(bytes)?;
    serde_path_to_error::deserialize(Exact { node: &root, text })
        .map_err(|error| fault(error.path(), &error.inner().to_string(), &root, text))
}

fn fault(path: &Path, message: &str, root: &Node<'_>, text: &str) -> AfpError {
    let mut node = root;
    let mut field = crate::Field::at("");
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
        .and_then(|rest| rest.rsplit_once(", expected "));
    let message = if let Some(key) = quoted("missing field `") {
        field = field.key(key);
        "is missing".to_owned()
    } else if let Some(word) = quoted("unknown variant `") {
        let known: Vec<_> = message.split('`').skip(3).step_by(2).collect();
        let word = excerpt(word, MAX_QUOTED);
        format!("must be one of [{}], got: {word}", known.join(" "))
    } else if let Some((_, expected)) = expected {
        let got = match node.value {
            Value::Object(_) => "object".to_owned(),
            Value::List(_) => "array".to_owned(),
            _ => excerpt(node.raw(text), MAX_QUOTED),
        };
        let expected = match expected {
            "a string" => "string",
            "a sequence" => "array",
            "a map" => "object",
            "a boolean" => "boolean",
            "u8" | "u16" | "u32" | "u64" | "i64" => "integer",
            "f64" => "number",
            other => other,
        };
        format!("expected {expected}, found {got}")
    } else {
        message.to_owned()
    };
    AfpError {
        path: field.as_str().to_owned(),
        message,
        at: node.span.start,
    }
}

/// A value as a `serde` deserializer: null is as good as missing, a key may only occur twice
/// with the same value, and an integer may be written as `1.0`.
struct Exact<'n, 't> {
    node: &'n Node<'t>,
    text: &'n str,
}

impl<'n, 't> IntoDeserializer<'n, Fault> for Exact<'n, 't> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'n, 't> Exact<'n, 't> {
    fn within(&self, node: &'n Node<'t>) -> Self {
        let text = self.text;
        Self { node, text }
    }

    fn visit_fields<'k, V: Visitor<'n>>(
        &self,
        keys: impl IntoIterator<Item = &'k str>,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let mut fields = Vec::new();
        for key in keys {
            if contradicts(self.node, key, self.text) {
                let message = format!("{key}: duplicate key with different values");
                return Err(Fault::custom(message));
            }
            let mut members = self.node.members().iter();
            let found = members.find(|member| member.key == key && !member.node.is_null());
            fields.extend(found.map(|member| (key, self.within(&member.node))));
        }
        visitor.visit_map(MapDeserializer::new(fields.into_iter()))
    }
}

impl<'de> de::Deserializer<'de> for Exact<'de, '_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(*is),
            Value::Number(raw) => match (raw.parse::<i64>(), ScoreNumber::of(raw)) {
                (Ok(integer), _) => visitor.visit_i64(integer),
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "an integer that f64 has exactly"
                )]
                (Err(_), Some(number)) if number.value.abs() < 9e15 => {
                    visitor.visit_i64(number.value as i64)
                }
                _ => visitor.visit_f64(self.node.number().unwrap_or(f64::NAN)),
            },
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => {
                let items = items.iter().map(|item| self.within(item));
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            Value::Object(members) => {
                let keys: BTreeSet<_> = members.iter().map(|member| &*member.key).collect();
                self.visit_fields(keys, visitor)
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if !self.node.is_object() {
            return Err(Fault::invalid_type(de::Unexpected::Other(""), &"object"));
        }
        self.visit_fields(keys.iter().copied(), visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.node.text() {
            Some(word) => visitor.visit_enum(word.into_deserializer()),
            None => Err(Fault::invalid_type(de::Unexpected::Other(""), &"a string")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}
