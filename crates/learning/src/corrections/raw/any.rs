//! Any JSON, and what is wrong with a line that is none.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::super::key::{Key, Scope};
use super::{Kind, NoJson, RawCorrection, Value};

/// Reads a line.
pub(super) fn read(text: &str) -> Result<RawCorrection<'_>, NoJson> {
    let mut raw = RawCorrection::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = ValueSeed {
        object: Some((Scope::Top, &mut raw)),
    };
    let read = seed.deserialize(&mut reader);
    match read.and_then(|value| reader.end().map(|()| value.kind())) {
        Ok(Some(Kind::Object) | None) => Ok(raw),
        Ok(kind) => {
            raw.no_object = kind;
            Ok(raw)
        }
        Err(error) => Err(syntax(text, &error)),
    }
}

/// The place of a fault, as a byte of the line.
fn syntax(text: &str, error: &serde_json::Error) -> NoJson {
    let lines_before = error.line().saturating_sub(1);
    let before: usize = text
        .split_inclusive('\n')
        .take(lines_before)
        .map(str::len)
        .sum();
    let what = error.to_string();
    let end = what.rfind(" at line ").unwrap_or(what.len());
    NoJson::Syntax {
        at: before + error.column(),
        what: what[..end].to_owned(),
    }
}

/// Reads a value; of an object that is known, its members go to their places.
struct ValueSeed<'r, 't> {
    object: Option<(Scope, &'r mut RawCorrection<'t>)>,
}

impl<'t> DeserializeSeed<'t> for ValueSeed<'_, 't> {
    type Value = Value<'t>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Value<'t>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for ValueSeed<'_, 't> {
    type Value = Value<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Value<'t>, A::Error> {
        let Some((scope, raw)) = self.object else {
            while map.next_key_seed(NameSeed)?.is_some() {
                map.next_value_seed(ValueSeed { object: None })?;
            }
            return Ok(Value::Other(Kind::Object));
        };
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let Some(key) = Key::find(scope, &name) else {
                raw.note_unknown(scope, name);
                map.next_value_seed(ValueSeed { object: None })?;
                continue;
            };
            if *raw.get(key) != Value::Absent {
                raw.twice.push((scope, name));
            }
            let object = key.object().map(|inner| {
                raw.clear(inner);
                (inner, &mut *raw)
            });
            let value = map.next_value_seed(ValueSeed { object })?;
            raw.values[key as usize] = value;
        }
        Ok(Value::Other(Kind::Object))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<Value<'t>, A::Error> {
        while seq.next_element_seed(ValueSeed { object: None })?.is_some() {}
        Ok(Value::Other(Kind::List))
    }

    fn visit_unit<E: Error>(self) -> Result<Value<'t>, E> {
        Ok(Value::Other(Kind::Null))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Value<'t>, E> {
        Ok(Value::Other(Kind::Bool))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Value<'t>, E> {
        Ok(Value::Other(Kind::Number))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Value<'t>, E> {
        Ok(Value::Other(Kind::Number))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Value<'t>, E> {
        Ok(Value::Other(Kind::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Value<'t>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value<'t>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }
}

/// Reads the name of a member.
struct NameSeed;

impl<'t> DeserializeSeed<'t> for NameSeed {
    type Value = Cow<'t, str>;

    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<Cow<'t, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'t> Visitor<'t> for NameSeed {
    type Value = Cow<'t, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
