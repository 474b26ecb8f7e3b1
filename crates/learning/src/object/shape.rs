//! The shape of an object: the JSON Schema of its type. Types, required fields, words,
//! ranges, times and unknown keys are checked; other forms of strings are those of their
//! types.

use review_text::near::mistyped;
use review_types::{UnknownWord, excerpt, pointer_part};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Number, Value as Json};

use super::{Code, Faults, MAX_QUOTED};
use crate::corrections::OffsetTimestamp;

/// The rule for unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownKeys {
    /// Each one is a warning.
    Warn,
    /// Each one is an error.
    Refuse,
    /// One that is similar to a known key is a warning.
    WarnIfSimilar,
}

/// The shape of the objects of a type.
#[derive(Debug)]
pub(crate) struct Shape(Json);

impl Shape {
    pub(crate) fn of<T: schemars::JsonSchema>() -> Self {
        let inline = |settings: &mut SchemaSettings| settings.inline_subschemas = true;
        let settings = SchemaSettings::draft2020_12().with(inline);
        Self(settings.into_generator().into_root_schema_for::<T>().into())
    }

    /// Checks a value. A number without a fraction becomes an integer where its type is
    /// one, however it is written.
    pub(super) fn check(&self, value: &mut Json, unknown: UnknownKeys, faults: &mut Faults) {
        Check { unknown, faults }.value(&self.0, value, "");
    }
}

struct Check<'f> {
    unknown: UnknownKeys,
    faults: &'f mut Faults,
}

impl Check<'_> {
    fn value(&mut self, schema: &Json, value: &mut Json, at: &str) {
        let words = words(schema);
        let expected = schema["type"].as_str().unwrap_or("string");
        match (expected, value) {
            ("object", Json::Object(members)) => self.object(schema, members, at),
            ("array", Json::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.value(&schema["items"], item, &format!("{at}/{index}"));
                }
            }
            ("string", Json::String(text)) if !words.is_empty() => self.word(&words, text, at),
            ("string", Json::String(text)) if schema["format"] == "date-time" => {
                self.time(text, at);
            }
            ("string", Json::String(_)) | ("boolean", Json::Bool(_)) => {}
            ("integer" | "number", Json::Number(number)) => {
                self.number(schema, expected, number, at);
            }
            (_, value) => {
                let message = format!("expected {}, found {}", kind(expected), kind_of(value));
                self.faults.error(at, Code::MemberType, message);
            }
        }
    }

    fn object(&mut self, schema: &Json, members: &mut Map<String, Json>, at: &str) {
        let required = schema["required"].as_array().into_iter().flatten();
        for key in required.filter_map(Json::as_str) {
            if !members.contains_key(key) {
                let message = format!("\"{key}\" is missing");
                self.faults
                    .error(format!("{at}/{key}"), Code::MemberMissing, message);
            }
        }
        for (key, value) in members {
            let at = format!("{at}/{}", pointer_part(key));
            match (
                schema["properties"].get(key),
                &schema["additionalProperties"],
            ) {
                (Some(known), _) => self.value(known, value, &at),
                (None, Json::Object(_)) => self.value(&schema["additionalProperties"], value, &at),
                (None, _) => self.unknown_key(schema, key, at),
            }
        }
    }

    fn unknown_key(&mut self, schema: &Json, key: &str, at: String) {
        let known = schema["properties"].as_object().into_iter().flatten();
        let near = mistyped(key, known.map(|(known, _)| known.as_str()));
        if near.is_none() && self.unknown == UnknownKeys::WarnIfSimilar {
            return;
        }
        let mut message = format!("unknown key \"{}\"", excerpt(key, MAX_QUOTED));
        if let Some(near) = near {
            message.push_str(&format!("; did you mean \"{near}\"?"));
        }
        let fix = match self.unknown {
            UnknownKeys::Refuse => self.faults.error(at, Code::KeyUnknown, message),
            UnknownKeys::Warn | UnknownKeys::WarnIfSimilar => {
                self.faults.warning(at, Code::KeyUnknown, message)
            }
        };
        *fix = near.map(str::to_owned);
    }

    fn word(&mut self, words: &[&str], text: &str, at: &str) {
        if !words.contains(&text) {
            let unknown = UnknownWord {
                known: words.join(" "),
                got: excerpt(text, MAX_QUOTED),
            };
            self.faults
                .error(at, Code::WordUnknown, unknown.to_string());
        }
    }

    fn time(&mut self, text: &str, at: &str) {
        if OffsetTimestamp::new(text).is_none() {
            let message = format!(
                "expected an RFC 3339 time such as 2026-03-01T12:30:05Z, found \"{}\"",
                excerpt(text, MAX_QUOTED)
            );
            let utc = OffsetTimestamp::naive(text).map(|time| time.as_str().to_owned());
            *self.faults.error(at, Code::NotInstant, message) = utc;
        }
    }

    fn number(&mut self, schema: &Json, expected: &str, number: &mut Number, at: &str) {
        let expected = kind(expected);
        let value = number.as_f64().unwrap_or(f64::NAN);
        if schema["type"] == "integer" && number.is_f64() {
            match value.to_string().parse() {
                Ok(whole) if value.fract() == 0.0 => *number = whole,
                _ => {
                    let message = format!("expected {expected}, found {number}");
                    self.faults.error(at, Code::MemberType, message);
                    return;
                }
            }
        }
        let limits = ["minimum", "exclusiveMinimum", "maximum"].map(|key| schema[key].as_f64());
        let [least, above, most] = limits;
        let is_in_range = least.is_none_or(|least| value >= least)
            && above.is_none_or(|above| value > above)
            && most.is_none_or(|most| value <= most);
        if !is_in_range {
            let least = least.map(|least| format!("from {least}"));
            let above = above.map(|above| format!("above {above}"));
            let most = most.map(|most| format!("at most {most}"));
            let range: Vec<_> = [least, above, most].into_iter().flatten().collect();
            let range = range.join(", ");
            let message = format!("expected {expected} {range}, found {number}");
            self.faults.error(at, Code::OutOfRange, message);
        }
    }
}

/// The words of a closed list.
fn words(schema: &Json) -> Vec<&str> {
    let words = schema["oneOf"].as_array().into_iter().flatten();
    words.filter_map(|word| word["const"].as_str()).collect()
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => kind("boolean"),
        Json::Number(_) => kind("number"),
        Json::String(_) => kind("string"),
        Json::Array(_) => kind("array"),
        Json::Object(_) => kind("object"),
    }
}

fn kind(name: &str) -> &'static str {
    match name {
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "array" => "an array",
        "object" => "an object",
        _ => "a string",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LearningConfig;
    use crate::corrections::Correction;
    use crate::feedback::FeedbackEntry;
    use crate::lesson::Lesson;
    use crate::prompt::PromptVersion;

    /// The keywords that are checked, and those that say nothing about a value. `format`
    /// and `pattern` of strings are checked when they are deserialized.
    const KEYWORDS: [&str; 15] = [
        "$schema",
        "title",
        "description",
        "default",
        "format",
        "pattern",
        "maxLength",
        "type",
        "required",
        "properties",
        "additionalProperties",
        "items",
        "minimum",
        "exclusiveMinimum",
        "maximum",
    ];

    fn unknown_keywords(schema: &Json) -> Vec<String> {
        let Some(members) = schema.as_object() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (keyword, value) in members {
            match keyword.as_str() {
                "properties" => {
                    let properties = value.as_object().into_iter().flatten();
                    found.extend(properties.flat_map(|(_, one)| unknown_keywords(one)));
                }
                "items" | "additionalProperties" => found.extend(unknown_keywords(value)),
                "oneOf" => {
                    let words = value.as_array().unwrap();
                    assert!(
                        words.iter().all(|word| word["const"].is_string()),
                        "{value}"
                    );
                }
                known if KEYWORDS.contains(&known) => {}
                other => found.push(other.to_owned()),
            }
        }
        found
    }

    #[test]
    fn every_keyword_of_the_shapes_is_checked() {
        for shape in [
            Shape::of::<LearningConfig>(),
            Shape::of::<FeedbackEntry>(),
            Shape::of::<Lesson>(),
            Shape::of::<PromptVersion>(),
            Shape::of::<Correction>(),
        ] {
            assert_eq!(unknown_keywords(&shape.0), [""; 0]);
        }
    }
}
