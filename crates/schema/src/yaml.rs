//! Answers in YAML, the language of the published schema and its example.

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// Maximum nesting, as for JSON.
const MAX_DEPTH: usize = 64;

/// An answer in YAML, as JSON.
pub(crate) struct YamlAnswer {
    /// The JSON.
    pub(crate) json: String,
    /// Whether there is text around the document.
    pub(crate) has_prose: bool,
}

/// Returns the document of an answer that is YAML: all of it, or its only code block of
/// that language. Only a mapping with feedback items is one.
pub(crate) fn answer(text: &str) -> Option<YamlAnswer> {
    let (document, has_prose) = match fenced(text) {
        Some(found) => found,
        None => (text, false),
    };
    let is_mapping = |key: &str| document.lines().any(|line| line.starts_with(key));
    if !is_mapping("feedback_items:") || !is_mapping("overall_assessment:") {
        return None;
    }
    let json = value(document)?.to_string();
    Some(YamlAnswer { json, has_prose })
}

/// Returns the only code block of an answer that says it is YAML, and whether there is
/// text around it.
fn fenced(text: &str) -> Option<(&str, bool)> {
    let (before, rest) = text
        .split_once("```yaml\n")
        .or_else(|| text.split_once("```yml\n"))?;
    let (document, after) = rest.split_once("\n```")?;
    let is_only_one = !after.contains("```");
    let has_prose = !before.trim().is_empty() || !after.trim().is_empty();
    is_only_one.then_some((document, has_prose))
}

/// A collection that is still open.
enum Open {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

/// Returns the value of one document without anchors, tags and duplicate keys.
fn value(text: &str) -> Option<Value> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, _) = event.ok()?;
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => plain(&text),
            Event::Scalar(text, _, _, None) => Value::String(text.into_owned()),
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Object(Map::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop()? {
                Open::List(items) => Value::Array(items),
                Open::Object(members, _) => Value::Object(members),
            },
            Event::Scalar(..) | Event::Alias(_) | Event::UnresolvedAlias(_) => return None,
            _ => continue,
        };
        match open.last_mut() {
            None if root.is_some() => return None,
            None => root = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Object(members, key)) => match (key.take(), value) {
                (Some(key), value) => {
                    if members.insert(key, value).is_some() {
                        return None;
                    }
                }
                (None, Value::String(name)) => *key = Some(name),
                (None, _) => return None,
            },
        }
    }
    root.filter(Value::is_object)
}

/// Returns the value of a scalar without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let is_number = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return None;
    }
    let integer = text.parse::<i64>().ok().map(Number::from);
    integer.or_else(|| Number::from_f64(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_translated_with_the_types_of_its_values() {
        let text = "id: fb-1\ntimestamp: 2026-01-25T15:00:00Z\nfeedback_items:\n  - score: 0.3\n    \
                    reference: \"42-48\"\n    range: 42-48\n    example: |\n      a\n      b\n\
                    overall_assessment: {score: 1, sure: true, none: ~}\n";
        let expected = r#"{"feedback_items":[{"example":"a\nb\n","range":"42-48","reference":"42-48","score":0.3}],"id":"fb-1","overall_assessment":{"none":null,"score":1,"sure":true},"timestamp":"2026-01-25T15:00:00Z"}"#;
        let expected: Value = serde_json::from_str(expected).unwrap();
        let read = |text: &str| {
            let answer = answer(text)?;
            let json: Value = serde_json::from_str(&answer.json).unwrap();
            Some((json, answer.has_prose))
        };
        assert_eq!(read(text), Some((expected.clone(), false)));
        let fenced = format!("```yaml\n{text}```");
        assert_eq!(read(&fenced), Some((expected.clone(), false)));
        let prose = format!("My review:\n\n```yaml\n{text}```\n");
        assert_eq!(read(&prose), Some((expected, true)));
    }

    #[test]
    fn other_texts_are_no_document() {
        let items = "feedback_items: []\noverall_assessment: 1\n";
        for text in [
            "All is well.".to_owned(),
            "feedback_items: []\n".to_owned(),
            format!("{items}id: 1\nid: 2\n"),
            format!("{items}---\n{items}"),
            format!("{items}a: &x 1\nb: *x\n"),
            format!("{items}a: !!str 1\n"),
            format!("{items}a: [\n"),
            format!("```yaml\n{items}```\n```yaml\n{items}```"),
        ] {
            assert!(answer(&text).is_none(), "{text}");
        }
    }
}
