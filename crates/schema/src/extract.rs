//! The first object of a text.

use crate::Dialect;
use memchr::memchr;

use crate::parse::Reader;

/// How often an attempt may go over the whole text.
const MAX_PASSES: usize = 16;

/// The first balanced object that is JSON as it stands.
pub(crate) fn first_object(text: &str) -> Option<&str> {
    let mut fuel = MAX_PASSES * text.len();
    let mut pos = 0;
    while let Some(offset) = memchr(b'{', text.as_bytes().get(pos..)?) {
        let start = pos + offset;
        let mut reader = Reader::new(text, start, false);
        let read = reader.answer(Dialect::Verdict, &mut Vec::new());
        if read.is_ok() && reader.notes.list().is_empty() {
            return text.get(start..reader.pos());
        }
        fuel = fuel.checked_sub(reader.pos() - start)?;
        pos = start + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_object_that_parses_is_taken() {
        for (text, object) in [
            (
                r#"so: {"a": {"b": [1, "}"]}} and {"c": 1}"#,
                Some(r#"{"a": {"b": [1, "}"]}}"#),
            ),
            (r#"{title} {"a": 1} {"#, Some(r#"{"a": 1}"#)),
            ("{}", Some("{}")),
            (r#"{"a": {"b": 1}"#, Some(r#"{"b": 1}"#)),
            (r#"{'a': 1}"#, None),
            (
                r#"{"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"b": 1}"#,
                Some(r#"{"b": 1}"#),
            ),
            ("no object", None),
            ("}{", None),
            ("", None),
        ] {
            assert_eq!(first_object(text), object, "{text}");
        }
    }

    #[test]
    fn hostile_texts_end_without_an_object() {
        assert_eq!(first_object(&"{\"a\": [".repeat(5_000)), None);
        assert_eq!(first_object(&"{/*".repeat(5_000)), None);
    }
}
