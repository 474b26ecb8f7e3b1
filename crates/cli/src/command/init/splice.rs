//! Additions to a JSON text that keep every other byte of it.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value as Json};

/// What separates the parts of a JSON text.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Where the value below these keys is in valid JSON; the last
/// one where a key is given twice, as readers of JSON take it.
pub(super) fn find(text: &str, keys: &[&str]) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start_matches(BLANKS).len();
    let mut found = start..end_of(text, start)?;
    for key in keys {
        found = member(text, found.start, key)?;
    }
    Some(found)
}

/// The JSON with a further item in the array, or with a field of this key in the
/// object, that is at `container`.
pub(super) fn added(
    text: &str,
    container: Range<usize>,
    key: Option<&str>,
    value: &Json,
) -> Result<String, serde_json::Error> {
    let unit = unit(text);
    let line = text[..container.start].rfind('\n').map_or(0, |at| at + 1);
    let outer = blanks_before(&text[line..]);
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut item = match key {
        Some(key) => format!("{outer}{unit}{}: ", Json::from(key)),
        None => format!("{outer}{unit}"),
    };
    for (number, line) in serde_json::to_string_pretty(value)?.lines().enumerate() {
        let behind = line.trim_start_matches(' ');
        if number > 0 {
            let depth = (line.len() - behind.len()) / 2;
            item += &format!("{end_of_line}{outer}{unit}{}", unit.repeat(depth));
        }
        item += behind;
    }
    let bracket = container.end - 1;
    let before = text[..bracket].trim_end_matches(BLANKS).len();
    Ok(if before == container.start + 1 {
        let (head, tail) = (&text[..before], &text[bracket..]);
        format!("{head}{end_of_line}{item}{end_of_line}{outer}{tail}")
    } else {
        format!("{},{end_of_line}{item}{}", &text[..before], &text[before..])
    })
}

/// The value of a key in the object that begins at `start`.
fn member(text: &str, start: usize, key: &str) -> Option<Range<usize>> {
    let mut at = text.get(start..)?.starts_with('{').then_some(start + 1)?;
    let mut found = None;
    loop {
        at = skip(text, at, &[',']);
        if text.get(at..)?.starts_with('}') {
            return found;
        }
        let mut names = Deserializer::from_str(text.get(at..)?).into_iter::<String>();
        let name = names.next()?.ok()?;
        let value = skip(text, at + names.byte_offset(), &[':']);
        at = end_of(text, value)?;
        if name == key {
            found = Some(value..at);
        }
    }
}

/// The end of the value that begins at `start`.
fn end_of(text: &str, start: usize) -> Option<usize> {
    let mut values = Deserializer::from_str(text.get(start..)?).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(start + values.byte_offset())
}

/// The place after the blanks and these characters at `at`.
fn skip(text: &str, at: usize, others: &[char]) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let is_passed = |c: char| BLANKS.contains(&c) || others.contains(&c);
    at + rest.len() - rest.trim_start_matches(is_passed).len()
}

/// What a text is indented by: the blanks of its first line that has some.
fn unit(text: &str) -> &str {
    let mut blanks = text.lines().map(blanks_before);
    blanks.find(|blanks| !blanks.is_empty()).unwrap_or("  ")
}

fn blanks_before(line: &str) -> &str {
    let behind = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - behind.len()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_found_below_its_keys() {
        let text = r#" {"a": "}", "b": {"c" : [1, {"d": 2}], "c\u0041":{}}, "e": 7, "e":8 } "#;
        let found = |keys: &[&str]| find(text, keys).map(|range| &text[range]);
        assert_eq!(found(&[]), Some(text.trim()));
        assert_eq!(found(&["b", "c"]), Some(r#"[1, {"d": 2}]"#));
        assert_eq!(found(&["b", "cA"]), Some("{}"));
        assert_eq!(found(&["e"]), Some("8"));
        for keys in [&["x"][..], &["a", "x"], &["b", "c", "d"]] {
            assert_eq!(found(keys), None, "{keys:?}");
        }
    }

    #[test]
    fn an_addition_keeps_the_way_of_writing_and_every_other_byte() {
        let item = json!({"k": [1]});
        for (text, keys, key, expected) in [
            (
                "{\n\t\"b\": 1,\n\t\"a\":{}\n}\n",
                &["a"][..],
                Some("x"),
                "{\n\t\"b\": 1,\n\t\"a\":{\n\t\t\"x\": {\n\t\t\t\"k\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t}\n}\n",
            ),
            (
                "{\r\n    \"a\": [ 7 ]\r\n}",
                &["a"],
                None,
                "{\r\n    \"a\": [ 7,\r\n        {\r\n            \"k\": [\r\n                1\r\n            ]\r\n        } ]\r\n}",
            ),
            (
                "{\"a\":1}",
                &[],
                Some("x"),
                "{\"a\":1,\n  \"x\": {\n    \"k\": [\n      1\n    ]\n  }}",
            ),
        ] {
            let at = find(text, keys).unwrap();
            assert_eq!(added(text, at, key, &item).unwrap(), expected);
        }
    }
}
