//! Parses the one object in an answer, by its required keys.
//!
//! As with reviews, nothing is guessed: quotations and thinking are not answers,
//! and objects that differ are an error.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;
use serde_json::{Map, Value as Json};

use crate::judge::unreadable;
use crate::objects::Objects;
use crate::outside::{Tag, tags};
use crate::parse::{Failure, Node};
use crate::{Mode, SchemaError, frame};

/// Returns the object with all of `keys` in an answer, at the top level or as the
/// field of another object. Objects in strings or in a block of thinking do not
/// count, nor does a template whose strings are all placeholders such as `<id>`.
/// The result has the keys as in `keys`, whatever their case in the answer.
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
/// [`SchemaError`] of the field `json` if the answer has no such object, one is
/// malformed, or two differ.
pub fn read_object(
    answer: impl AsRef<[u8]>,
    keys: &[&str],
) -> Result<Map<String, Json>, SchemaError> {
    let (text, _) = frame::decode(answer.as_ref(), Mode::Tolerant)?;
    let mut search = Search {
        text: &text,
        keys,
        found: None,
        thinking: false,
        gap: 0,
    };
    let mut objects = Objects::of(&text);
    for braced in objects.by_ref() {
        match braced.object {
            Ok(object) => search.object(&object),
            Err(failure) => search.broken(&braced.span, failure),
        }
    }
    if objects.is_exhausted {
        return Err(SchemaError::json("too many malformed objects"));
    }
    search.pass_over(text.len());
    search.found.unwrap_or_else(|| {
        let word = if keys.len() == 1 { "key" } else { "keys" };
        let message = format!("no object with the {word} {}", keys.join(", "));
        Err(SchemaError::json(message).hint(ONE_OBJECT))
    })
}

const ONE_OBJECT: &str = "answer with one JSON object and nothing else";

/// The search for the answer among the objects of a string.
struct Search<'t, 'k> {
    text: &'t str,
    keys: &'k [&'k str],
    /// The one answer so far, or the first error.
    found: Option<Result<Map<String, Json>, SchemaError>>,
    /// Whether a tag of thinking is open.
    thinking: bool,
    /// The offset after which the content is outside any object.
    gap: usize,
}

impl<'t> Search<'t, '_> {
    /// Handles the tags of thinking up to `end`. Everything before the end of a block
    /// is not an answer, nor is the content of a block without an end.
    fn pass_over(&mut self, end: usize) {
        let outside = self.text.as_bytes().get(self.gap..end).unwrap_or_default();
        for (_, tag) in tags(outside) {
            self.thinking = tag == Tag::Open;
            if tag == Tag::Close {
                self.found = None;
            }
        }
        self.gap = self.gap.max(end);
    }

    /// Handles an object, or those of its fields that have the keys.
    fn object(&mut self, object: &Node<'t>) {
        self.pass_over(object.span.start);
        self.gap = self.gap.max(object.span.end);
        if self.thinking {
            return;
        }
        if self.has_keys(object) {
            return self.candidate(object);
        }
        let nodes = object.members().iter().map(|member| &member.node);
        let with_keys: Vec<_> = nodes.filter(|node| self.has_keys(node)).collect();
        with_keys.into_iter().for_each(|node| self.candidate(node));
    }

    fn has_keys(&self, object: &Node<'t>) -> bool {
        self.keys.iter().all(|key| object.get(key).is_some())
    }

    fn candidate(&mut self, object: &Node<'t>) {
        let members = match self.named(object) {
            Ok(members) if is_template(&members) => return,
            members => members,
        };
        self.found = Some(match (self.found.take(), members) {
            (None, members) => members,
            (Some(Ok(found)), Ok(members)) if found != members => {
                let message = "two different objects, expected one";
                let error = SchemaError::json(message).at(object.span.start);
                Err(error.hint(ONE_OBJECT))
            }
            (Some(Ok(_)), Err(error)) => Err(error),
            (Some(found), _) => found,
        });
    }

    /// Returns the fields of an object, with the requested spelling of the keys.
    fn named(&self, object: &Node<'t>) -> Result<Map<String, Json>, SchemaError> {
        let mut named = Map::new();
        for member in object.members() {
            no_key_is_contradicted(&member.node)?;
            let mut keys = self.keys.iter();
            let key = keys.find(|key| member.key.eq_ignore_ascii_case(key));
            let name = key.map_or(&*member.key, |key| *key);
            let value = member.node.json();
            if named.get(name).is_some_and(|before| *before != value) {
                return Err(given_twice(name, object.span.start));
            }
            named.insert(name.to_owned(), value);
        }
        Ok(named)
    }

    /// Requires that malformed input does not contain an answer.
    fn broken(&mut self, range: &Range<usize>, failure: Failure) {
        let raw = self.text.as_bytes().get(range.clone()).unwrap_or_default();
        if !self.keys.iter().any(|key| names(raw, key)) {
            return;
        }
        self.pass_over(range.start);
        if self.thinking {
            return;
        }
        self.gap = self.gap.max(range.end);
        if !matches!(self.found, Some(Err(_))) {
            self.found = Some(Err(unreadable(self.text, failure)));
        }
    }
}

/// Returns whether an answer has `key` as a key or as a string, not only as a word.
fn names(raw: &[u8], key: &str) -> bool {
    memmem::find_iter(raw, key).any(|at| {
        let before = raw.get(..at).and_then(<[u8]>::last);
        let behind = raw.get(at + key.len()..).unwrap_or_default();
        matches!(before, Some(b'"' | b'\'' | 0x80..)) || behind.trim_ascii_start().starts_with(b":")
    })
}

/// Checks that no object in a value has a key twice with different values.
pub(crate) fn no_key_is_contradicted(node: &Node<'_>) -> Result<(), SchemaError> {
    if let Some(items) = node.items() {
        return items.iter().try_for_each(no_key_is_contradicted);
    }
    let mut values = BTreeMap::new();
    for member in node.members() {
        no_key_is_contradicted(&member.node)?;
        let before = values.insert(&*member.key, &member.node);
        if before.is_some_and(|before| before.json() != member.node.json()) {
            return Err(given_twice(&member.key, member.key_at));
        }
    }
    Ok(())
}

fn given_twice(key: &str, at: usize) -> SchemaError {
    SchemaError::json(format!("duplicate key \"{key}\"")).at(at)
}

/// Returns whether an object has strings and all of them are placeholders.
fn is_template(members: &Map<String, Json>) -> bool {
    fn strings<'v>(value: &'v Json, found: &mut Vec<&'v str>) {
        match value {
            Json::String(text) => found.push(text.trim()),
            Json::Array(items) => items.iter().for_each(|item| strings(item, found)),
            Json::Object(members) => members.values().for_each(|value| strings(value, found)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    members
        .values()
        .for_each(|value| strings(value, &mut found));
    let is_placeholder =
        |text: &&str| *text == "..." || text.starts_with('<') && text.ends_with('>');
    !found.is_empty() && found.iter().all(is_placeholder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 2] = ["lesson", "cites"];

    /// Returns the parsed lesson, or the error message.
    fn read(answer: &str) -> Result<String, String> {
        let found = read_object(answer, &KEYS).map_err(|error| error.message)?;
        Ok(found["lesson"].as_str().unwrap_or_default().to_owned())
    }

    const A: &str = r#"{"lesson": "a", "cites": ["1"]}"#;
    const B: &str = r#"{"lesson": "b", "cites": ["1"]}"#;

    #[test]
    fn an_object_is_found_anywhere() {
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
            r#"{"Lesson": "a", "cites": ["1"], "lesson": "a"}"#.to_owned(),
            format!("{A} {B} </think> {A}"),
            format!("<think>a {{\"lesson\": \"b </think> {A}"),
            format!("It goes into {{lesson}} and {{cites}}: {A}"),
            format!("{{\"lesson\": {{\"text\": \"<text>\"}}, \"cites\": [\"<id>\"]}}\n{A}"),
        ] {
            assert_eq!(read(&answer), Ok("a".to_owned()), "{answer}");
        }
    }

    #[test]
    fn values_are_unchanged() {
        let answer = r#"{"lesson": 1.50, "cites": [null, true, {"a": "\u00e4"}, -2]}"#;
        let found = read_object(answer, &KEYS).unwrap();
        let expected = serde_json::json!({"lesson": 1.5, "cites": [null, true, {"a": "ä"}, -2]});
        assert_eq!(Json::Object(found), expected);
    }

    #[test]
    fn a_tag_of_thinking_in_a_string_is_text() {
        for text in ["<think>", "</think>", "a <thinking> b </thinking> c"] {
            let answer = serde_json::json!({"lesson": text, "cites": ["1"]}).to_string();
            assert_eq!(read(&answer), Ok(text.to_owned()));
            let again = format!("{answer} or {B}");
            assert!(
                read(&again)
                    .unwrap_err()
                    .starts_with("two different objects")
            );
        }
    }

    #[test]
    fn an_ambiguous_or_missing_answer_is_an_error() {
        let different = "two different objects, expected one";
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
                "duplicate key \"lesson\"",
            ),
            (
                r#"{"lesson": "a", "Lesson": "b", "cites": []}"#,
                "duplicate key \"lesson\"",
            ),
            (
                r#"{"lesson": "a" "cites": []}"#,
                "invalid JSON: expected a comma or a closing bracket at byte 15",
            ),
            (
                r#"{"lesson" "a", "cites": []}"#,
                "invalid JSON: expected a colon at byte 10",
            ),
        ] {
            assert_eq!(read(answer), Err(message.to_owned()), "{answer}");
        }
        let cut = format!("{A} and {{\"lesson\": \"b\", ");
        let at = cut.len();
        assert_eq!(
            read(&cut),
            Err(format!("invalid JSON: cut off at byte {at}"))
        );
    }

    #[test]
    fn hostile_answers_are_parsed_in_bounded_time() {
        assert!(read(&"{\"a\": [".repeat(5_000)).is_err());
        assert!(read(&"{".repeat(100_000)).is_err());
        assert!(read(&"{\"lesson\":".repeat(5_000)).is_err());
    }
}
