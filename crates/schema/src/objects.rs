//! The objects of a string: the first one, and the outermost ones.

use std::ops::Range;

use memchr::memchr;

use crate::parse::{Failure, Node, Place, Reader, SyntaxFault};

/// Maximum number of passes over the whole text in all attempts.
const MAX_PASSES: usize = 16;

/// Something that starts with a brace.
pub(crate) enum Braced<'t> {
    /// An object, with its fields.
    Object(Node<'t>),
    /// Something that cannot be parsed beyond the end of this range.
    Broken(Range<usize>, Failure),
}

/// Handles everything that starts with a brace, from left to right and in linear
/// work; returns false when there are too many malformed objects to finish.
pub(crate) fn for_each_object<'t>(text: &'t str, mut take: impl FnMut(Braced<'t>)) -> bool {
    let mut fuel = MAX_PASSES * text.len();
    let mut pos = 0;
    while let Some(offset) = memchr(b'{', text.as_bytes().get(pos..).unwrap_or_default()) {
        let start = pos + offset;
        let mut reader = Reader::new(text, start, false);
        let read = reader.node();
        let end = reader.pos();
        let Some(left) = fuel.checked_sub(end - start) else {
            return false;
        };
        fuel = left;
        let (at, fault) = (end, SyntaxFault::End);
        pos = match read.and_then(|node| node.ok_or(Failure { at, fault })) {
            Ok(object) => {
                take(Braced::Object(object));
                end
            }
            Err(failure) => {
                take(Braced::Broken(start..end, failure));
                start + 1
            }
        };
    }
    true
}

/// Returns the first balanced object that is valid JSON.
pub(crate) fn first_object(text: &str) -> Option<&str> {
    let mut fuel = MAX_PASSES * text.len();
    let mut pos = 0;
    while let Some(offset) = memchr(b'{', text.as_bytes().get(pos..)?) {
        let start = pos + offset;
        let mut reader = Reader::new(text, start, false);
        let read = reader.value(0, Place::Field);
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
    fn the_first_object_that_parses_is_returned() {
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
    fn hostile_texts_without_an_object_are_parsed_in_bounded_time() {
        assert_eq!(first_object(&"{\"a\": [".repeat(5_000)), None);
        assert_eq!(first_object(&"{/*".repeat(5_000)), None);
    }
}
