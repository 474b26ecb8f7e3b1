//! The JSON of a line, with its duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

/// The maximum number of duplicate keys that are recorded.
const MAX_TWICE: usize = 64;

/// The value of a line. The last value of a duplicate key counts.
#[derive(Debug)]
pub(super) struct LineJson {
    pub(super) value: Json,
    /// The paths of duplicate keys in the line's object or in an object that is one of
    /// its fields.
    pub(super) twice: Vec<Vec<String>>,
}

/// A line that is not valid JSON.
#[derive(Debug, thiserror::Error)]
pub(super) enum InvalidJson {
    #[error("not UTF-8 at byte {0}")]
    Encoding(usize),
    #[error("invalid JSON: {what} at byte {at}")]
    Syntax { what: String, at: usize },
}

impl LineJson {
    /// Parses a line without its line end.
    pub(super) fn read(line: &[u8]) -> Result<Self, InvalidJson> {
        let text = std::str::from_utf8(line)
            .map_err(|error| InvalidJson::Encoding(error.valid_up_to()))?;
        let mut twice = Vec::new();
        let mut reader = serde_json::Deserializer::from_str(text);
        let seed = ValueSeed {
            path: &mut Vec::new(),
            twice: &mut twice,
        };
        let read = seed.deserialize(&mut reader);
        match read.and_then(|value| reader.end().map(|()| value)) {
            Ok(value) => Ok(Self { value, twice }),
            Err(error) => Err(syntax(text, &error)),
        }
    }
}

/// The location of a syntax error, as a byte offset in the line.
fn syntax(text: &str, error: &serde_json::Error) -> InvalidJson {
    let lines_before = error.line().saturating_sub(1);
    let before: usize = text
        .split_inclusive('\n')
        .take(lines_before)
        .map(str::len)
        .sum();
    let what = error.to_string();
    let end = what.rfind(" at line ").unwrap_or(what.len());
    InvalidJson::Syntax {
        at: before + error.column(),
        what: what[..end].to_owned(),
    }
}

/// Deserializes the value at a path.
struct ValueSeed<'a> {
    path: &'a mut Vec<String>,
    twice: &'a mut Vec<Vec<String>>,
}

impl ValueSeed<'_> {
    fn below(&mut self) -> ValueSeed<'_> {
        ValueSeed {
            path: self.path,
            twice: self.twice,
        }
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            self.path.push(name.clone());
            let value = map.next_value_seed(self.below())?;
            let is_counted = self.path.len() <= 2 && self.twice.len() < MAX_TWICE;
            if members.insert(name, value).is_some() && is_counted {
                self.twice.push(self.path.clone());
            }
            self.path.pop();
        }
        Ok(Json::Object(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        self.path.push(String::new());
        while let Some(item) = seq.next_element_seed(self.below())? {
            items.push(item);
        }
        self.path.pop();
        Ok(Json::Array(items))
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_value_of_a_duplicate_key_counts() {
        let line = r#"{"agent":"a","x":[{"z":1,"z":2}],"ai_action":{"summary":"s","file":1,"file":2},"agent":null,"ai_action":{"file":"f\u00e9"},"more":{"x":{"z":1,"z":2}}}"#;
        let read = LineJson::read(line.as_bytes()).unwrap();
        let expected = json!({"agent": null, "x": [{"z": 2}], "ai_action": {"file": "fé"}, "more": {"x": {"z": 2}}});
        assert_eq!(read.value, expected);
        let twice: Vec<_> = read.twice.iter().map(|path| path.join("/")).collect();
        assert_eq!(twice, ["ai_action/file", "agent", "ai_action"]);
    }

    #[test]
    fn any_json_value_is_read() {
        for line in ["null", "true", "-7", "7", "7.5", "[[]]", "\"a\"", " { } "] {
            let read = LineJson::read(line.as_bytes()).unwrap().value;
            assert_eq!(read, serde_json::from_str::<Json>(line).unwrap(), "{line}");
        }
    }

    #[test]
    fn a_syntax_error_has_its_location() {
        let fault = |line: &[u8]| LineJson::read(line).unwrap_err().to_string();
        assert_eq!(
            fault(b"{\"agent\": x}"),
            "invalid JSON: expected value at byte 11"
        );
        assert_eq!(
            fault(b"{\n\n\"a\": 1,}"),
            "invalid JSON: trailing comma at byte 11"
        );
        assert_eq!(
            fault(b"{} {}"),
            "invalid JSON: trailing characters at byte 4"
        );
        assert_eq!(fault(b"{\"a\xff\": 1}"), "not UTF-8 at byte 3");
        assert_eq!(
            fault(b"{\"x\": \"\\ud800\"}"),
            "invalid JSON: unexpected end of hex escape at byte 14"
        );
        assert_eq!(
            fault(b"{\"x\": 1e999}"),
            "invalid JSON: number out of range at byte 11"
        );
    }

    #[test]
    fn a_bounded_number_of_duplicate_keys_is_recorded() {
        let keys: Vec<_> = (0..100)
            .map(|at| format!("\"k{at}\":0,\"k{at}\":1"))
            .collect();
        let line = format!("{{{}}}", keys.join(","));
        let read = LineJson::read(line.as_bytes()).unwrap();
        assert_eq!(read.twice.len(), MAX_TWICE);
    }
}
