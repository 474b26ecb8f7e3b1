//! A line as it is written: the members of a correction, whatever they hold.
//!
//! Texts are borrowed from the line where they have no escapes. Everything that
//! is not known is read as well, so that a line is JSON as a whole or not at all.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::key::{Key, Scope};

/// Keys that are not known are remembered up to this many.
const MAX_UNKNOWN: usize = 64;

/// The type of a value that should have been another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// What a member holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Value<'t> {
    #[default]
    Absent,
    Text(Cow<'t, str>),
    /// Anything else; an object where one belongs is one of these, too.
    Other(Kind),
}

impl Value<'_> {
    /// The type of the value; `None` if there is none.
    pub(super) const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Absent => None,
            Self::Text(_) => Some(Kind::Text),
            Self::Other(kind) => Some(*kind),
        }
    }
}

/// The members of a line. Of a key that stands twice the last value counts.
#[derive(Clone, Debug, Default)]
pub(super) struct RawCorrection<'t> {
    values: [Value<'t>; Key::COUNT],
    /// What the line is, if it is no object.
    pub(super) no_object: Option<Kind>,
    pub(super) twice: Vec<(Scope, Cow<'t, str>)>,
    pub(super) unknown: Vec<(Scope, Cow<'t, str>)>,
}

/// A line that is no JSON.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoJson {
    #[error("not UTF-8 at byte {0}")]
    Encoding(usize),
    #[error("no JSON: {what} at byte {at}")]
    Syntax { what: String, at: usize },
}

impl<'t> RawCorrection<'t> {
    /// Reads a line without its end.
    pub(super) fn read(line: &'t [u8]) -> Result<Self, NoJson> {
        let text =
            std::str::from_utf8(line).map_err(|error| NoJson::Encoding(error.valid_up_to()))?;
        let mut raw = Self::default();
        let mut reader = serde_json::Deserializer::from_str(text);
        let seed = ValueSeed {
            object: Some((Scope::Top, &mut raw)),
        };
        let read = seed.deserialize(&mut reader);
        match read.and_then(|value| reader.end().map(|()| value.kind())) {
            Ok(Some(Kind::Object) | None) => {}
            Ok(kind) => raw.no_object = kind,
            Err(error) => return Err(syntax(text, &error)),
        }
        Ok(raw)
    }

    /// The value of a member.
    pub(super) fn get(&self, key: Key) -> &Value<'t> {
        &self.values[key as usize]
    }

    /// The text of a member, if it is one.
    pub(super) fn text(&self, key: Key) -> Option<&str> {
        match self.get(key) {
            Value::Text(text) => Some(text),
            Value::Absent | Value::Other(_) => None,
        }
    }

    /// Takes the text of a member, if it is one.
    pub(super) fn take(&mut self, key: Key) -> Option<Cow<'t, str>> {
        match std::mem::take(&mut self.values[key as usize]) {
            Value::Text(text) => Some(text),
            Value::Absent | Value::Other(_) => None,
        }
    }

    /// Forgets the members of an object that comes a second time.
    fn clear(&mut self, scope: Scope) {
        for key in Key::ALL.iter().filter(|key| key.scope() == scope) {
            self.values[*key as usize] = Value::Absent;
        }
    }

    fn note_unknown(&mut self, scope: Scope, name: Cow<'t, str>) {
        if self.unknown.len() >= MAX_UNKNOWN {
            return;
        }
        let key = (scope, name);
        if self.unknown.contains(&key) {
            self.twice.push(key);
        } else {
            self.unknown.push(key);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> RawCorrection<'_> {
        RawCorrection::read(line.as_bytes()).unwrap()
    }

    #[test]
    fn members_go_to_their_places_and_other_keys_are_noted() {
        let raw = read(
            r#"{"agent":"a\u0062","summary":[{"x":1.5}],"ai_action":{"summary":"s","more":{}},"context":7}"#,
        );
        assert_eq!(raw.text(Key::Agent), Some("ab"));
        assert_eq!(raw.text(Key::ActionSummary), Some("s"));
        assert_eq!(raw.text(Key::UserSummary), None);
        assert_eq!(raw.get(Key::AiAction), &Value::Other(Kind::Object));
        assert_eq!(raw.get(Key::Context), &Value::Other(Kind::Number));
        let unknown = [
            (Scope::Top, "summary".into()),
            (Scope::AiAction, "more".into()),
        ];
        assert_eq!(raw.unknown, unknown);
        assert_eq!(raw.twice, []);
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_value_counts() {
        let raw = read(
            r#"{"agent":"a","x":1,"ai_action":{"summary":"s"},"agent":null,"ai_action":{"file":"f"},"x":2}"#,
        );
        assert_eq!(raw.get(Key::Agent), &Value::Other(Kind::Null));
        assert_eq!(raw.get(Key::ActionSummary), &Value::Absent);
        assert_eq!(raw.text(Key::File), Some("f"));
        let twice = ["agent", "ai_action", "x"].map(|name| (Scope::Top, name.into()));
        assert_eq!(raw.twice, twice);
    }

    #[test]
    fn a_line_that_is_no_object_says_what_it_is() {
        for (line, kind) in [
            ("null", Kind::Null),
            ("true", Kind::Bool),
            ("-7", Kind::Number),
            ("7", Kind::Number),
            ("7.5", Kind::Number),
            ("[[]]", Kind::List),
            ("\"a\"", Kind::Text),
        ] {
            assert_eq!(read(line).no_object, Some(kind), "{line}");
        }
        assert_eq!(read("{}").no_object, None);
    }

    #[test]
    fn a_fault_says_where_it_is() {
        let fault = |line: &[u8]| RawCorrection::read(line).unwrap_err().to_string();
        assert_eq!(
            fault(b"{\"agent\": x}"),
            "no JSON: expected value at byte 11"
        );
        assert_eq!(
            fault(b"{\n\n\"a\": 1,}"),
            "no JSON: trailing comma at byte 11"
        );
        assert_eq!(fault(b"{} {}"), "no JSON: trailing characters at byte 4");
        assert_eq!(fault(b"{\"a\xff\": 1}"), "not UTF-8 at byte 3");
        assert_eq!(
            fault(b"{\"x\": \"\\ud800\"}"),
            "no JSON: unexpected end of hex escape at byte 14"
        );
        assert_eq!(
            fault(b"{\"x\": 1e999}"),
            "no JSON: number out of range at byte 11"
        );
    }

    #[test]
    fn unknown_keys_are_remembered_up_to_a_number() {
        let keys: Vec<_> = (0..100).map(|at| format!("\"k{at}\":0")).collect();
        let line = format!("{{{}}}", keys.join(","));
        assert_eq!(read(&line).unknown.len(), MAX_UNKNOWN);
    }
}
