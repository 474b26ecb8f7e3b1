//! The one object that an answer holds, by the keys that it was asked to have.
//!
//! As with reviews, nothing is guessed: what was quoted or thought is no answer,
//! and objects that say different things give none.

use std::ops::Range;

use memchr::memmem;
use serde_json::{Map, Number, Value as Json};

use crate::input::Input;
use crate::objects::{Braced, for_each_object};
use crate::outside::{Tag, tags};
use crate::parse::{Node, Value};
use crate::{Mode, SchemaError};

/// Reads the object with all of `keys` that an answer holds, as itself or as the
/// member of another object. What stands in strings or in a block of thinking is
/// passed over, and so is a template whose texts are all placeholders such as
/// `<id>`.
///
/// ```
/// use review_schema::read_object;
///
/// let answer = "I thought of {it}.\n```json\n{\"lesson\": \"Set a limit\",}\n```";
/// assert_eq!(read_object(answer, &["lesson"])?["lesson"], "Set a limit");
/// # Ok::<(), review_schema::SchemaError>(())
/// ```
///
/// # Errors
/// [`SchemaError`] of the field `json` where there is no such object, one is
/// broken, or two say different things.
pub fn read_object(
    answer: impl AsRef<[u8]>,
    keys: &[&str],
) -> Result<Map<String, Json>, SchemaError> {
    let input = Input::decode(answer.as_ref(), Mode::Tolerant)?;
    let text = behind_thinking(&input.text);
    let mut search = Search {
        text,
        keys,
        found: None,
    };
    let is_whole = for_each_object(text, |braced| match braced {
        Braced::Object(object) => search.take(&object),
        Braced::Broken(range) => search.broken(range),
    })?;
    if !is_whole {
        return Err(SchemaError::json("too many broken objects"));
    }
    search.found.ok_or_else(|| {
        let message = format!("no object with the keys {}", keys.join(", "));
        SchemaError::json(message).hint("answer with one JSON object and nothing else")
    })
}

/// The text behind the last end of a block of thinking; what is in a block that
/// never ends is no answer.
fn behind_thinking(text: &str) -> &str {
    let (mut start, mut end) = (0, text.len());
    for (behind, tag) in tags(text.as_bytes()) {
        match tag {
            Tag::Close => (start, end) = (behind, text.len()),
            Tag::Open => end = end.min(behind),
        }
    }
    text.get(start..end).unwrap_or_default()
}

/// The answer among the objects of a text.
struct Search<'t, 'k> {
    text: &'t str,
    keys: &'k [&'k str],
    found: Option<Map<String, Json>>,
}

impl<'t> Search<'t, '_> {
    /// Takes an object, or those of its members that have the keys.
    fn take(&mut self, object: &Node<'t>) -> Result<(), SchemaError> {
        if self.has_keys(object) {
            return self.candidate(object);
        }
        let Value::Object(members) = &object.value else {
            return Ok(());
        };
        for member in members {
            if self.has_keys(&member.node) {
                self.candidate(&member.node)?;
            }
        }
        Ok(())
    }

    fn has_keys(&self, object: &Node<'t>) -> bool {
        self.keys.iter().all(|key| object.get(key).is_some())
    }

    fn candidate(&mut self, object: &Node<'t>) -> Result<(), SchemaError> {
        let at = object.span.start;
        let Json::Object(members) = value_of(object)? else {
            return Ok(());
        };
        if is_template(&members) {
            return Ok(());
        }
        match &self.found {
            Some(found) if *found != members => {
                let message = "two objects say different things, and one was asked for";
                Err(SchemaError::json(message).at(at))
            }
            Some(_) => Ok(()),
            None => {
                self.found = Some(members);
                Ok(())
            }
        }
    }

    /// What cannot be read must not have been an answer.
    fn broken(&self, range: Range<usize>) -> Result<(), SchemaError> {
        let end = range.end;
        let raw = self.text.as_bytes().get(range).unwrap_or_default();
        let names = |key: &&str| memmem::find(raw, key.as_bytes()).is_some();
        if self.keys.iter().any(names) {
            let message = format!("invalid JSON at byte {end}");
            return Err(SchemaError::json(message).at(end));
        }
        Ok(())
    }
}

/// Whether all texts of an object are placeholders, and there is one.
fn is_template(members: &Map<String, Json>) -> bool {
    let mut texts = Vec::new();
    for value in members.values() {
        match value {
            Json::String(text) => texts.push(text.as_str()),
            Json::Array(items) => texts.extend(items.iter().filter_map(Json::as_str)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => {}
        }
    }
    let is_placeholder = |text: &&str| {
        let text = text.trim();
        text == "..." || text.starts_with('<') && text.ends_with('>')
    };
    !texts.is_empty() && texts.iter().all(is_placeholder)
}

/// A value that was read, as JSON.
fn value_of(node: &Node<'_>) -> Result<Json, SchemaError> {
    Ok(match &node.value {
        Value::Null => Json::Null,
        Value::Bool(is) => Json::Bool(*is),
        Value::Number(raw) => number(raw),
        Value::Text(text) => Json::String(text.to_string()),
        Value::List(items) => Json::Array(items.iter().map(value_of).collect::<Result<_, _>>()?),
        Value::Object(properties) => {
            let mut members = Map::new();
            for property in properties {
                let value = value_of(&property.node)?;
                if let Some(before) = members.insert(property.key.to_string(), value.clone())
                    && before != value
                {
                    let message = format!("\"{}\" is given twice", property.key);
                    return Err(SchemaError::json(message).at(property.key_at));
                }
            }
            Json::Object(members)
        }
    })
}

/// A number as it is written; a text where JSON has none of the kind.
fn number(raw: &str) -> Json {
    let number: Option<Number> = raw.parse().ok();
    number.map_or_else(|| Json::String(raw.to_owned()), Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 2] = ["lesson", "cites"];

    /// The lesson that was read, or what is said against it.
    fn read(answer: &str) -> Result<String, String> {
        let found = read_object(answer, &KEYS).map_err(|error| error.message)?;
        Ok(found["lesson"].as_str().unwrap_or_default().to_owned())
    }

    const A: &str = r#"{"lesson": "a", "cites": ["1"]}"#;
    const B: &str = r#"{"lesson": "b", "cites": ["1"]}"#;

    #[test]
    fn an_object_is_found_wherever_it_stands() {
        for answer in [
            A.to_owned(),
            format!("So {{it}} is: {{\"x\": 1}}\n```json\n{A}\n```\nThat is all."),
            format!("{{\"answer\": {A}, \"sure\": true}}"),
            format!("{A}\nAgain: {A}"),
            "{'lesson': 'a', // why\n 'cites': ['1',],}".to_owned(),
            format!("<think>{B}</think>{A}"),
            format!("<think>first {B} then </think> {A} <thinking>or {B}"),
            format!("{{\"lesson\": \"<text>\", \"cites\": [\"<id>\"]}}\n{A}"),
            r#"{"lesson": "a", "cites": ["1"], "lesson": "a"}"#.to_owned(),
        ] {
            assert_eq!(read(&answer), Ok("a".to_owned()), "{answer}");
        }
    }

    #[test]
    fn values_are_those_that_were_written() {
        let answer = r#"{"lesson": 1.50, "cites": [null, true, {"a": "\u00e4"}, -2]}"#;
        let found = read_object(answer, &KEYS).unwrap();
        let expected = serde_json::json!({"lesson": 1.5, "cites": [null, true, {"a": "ä"}, -2]});
        assert_eq!(Json::Object(found), expected);
    }

    #[test]
    fn what_is_not_one_answer_is_none() {
        let different = "two objects say different things, and one was asked for";
        let none = "no object with the keys lesson, cites";
        let both = format!("{A} {B}");
        let quoted = format!("{{\"note\": {}}}", Json::from(A));
        let members = format!("{{\"x\": {A}, \"y\": {B}}}");
        let thought = format!("<think>{A}");
        let deep = format!("{{\"x\": {{\"y\": {A}}}}}");
        for (answer, message) in [
            (both.as_str(), different),
            (&members, different),
            (&quoted, none),
            (&thought, none),
            (&deep, none),
            ("", none),
            (r#"{"lesson": "a"}"#, none),
            (r#"{"lesson": "...", "cites": ["<id>"]}"#, none),
            (
                r#"{"lesson": "a", "lesson": "b", "cites": []}"#,
                "\"lesson\" is given twice",
            ),
        ] {
            assert_eq!(read(answer), Err(message.to_owned()), "{answer}");
        }
        let cut = format!("{A} and {{\"lesson\": \"b\", ");
        assert!(read(&cut).unwrap_err().starts_with("invalid JSON at byte"));
    }

    #[test]
    fn hostile_answers_end() {
        assert!(read(&"{\"a\": [".repeat(5_000)).is_err());
        assert!(read(&"{".repeat(100_000)).is_err());
        assert!(read(&"{\"lesson\":".repeat(5_000)).is_err());
    }
}
