//! The outermost objects of a string, from left to right.

use std::ops::Range;

use memchr::memchr;

use crate::parse::{Failure, Node, Place, Reader};

/// Maximum number of passes over the whole text in all attempts.
const MAX_PASSES: usize = 16;

/// Something that starts with a brace.
pub(crate) struct Braced<'t> {
    pub(crate) span: Range<usize>,
    /// The object, or why it cannot be parsed beyond the end of the span.
    pub(crate) object: Result<Node<'t>, Failure>,
    /// Whether it is JSON without any repair.
    pub(crate) is_exact: bool,
}

/// Iterates over everything that starts with a brace, in linear work.
pub(crate) struct Objects<'t> {
    text: &'t str,
    pos: usize,
    fuel: usize,
    /// Whether there are too many malformed objects to finish.
    pub(crate) is_exhausted: bool,
}

impl<'t> Objects<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self {
            text,
            pos: 0,
            fuel: MAX_PASSES * text.len(),
            is_exhausted: false,
        }
    }
}

impl<'t> Iterator for Objects<'t> {
    type Item = Braced<'t>;

    fn next(&mut self) -> Option<Braced<'t>> {
        let rest = self.text.as_bytes().get(self.pos..)?;
        let start = self.pos + memchr(b'{', rest)?;
        let mut reader = Reader::new(self.text, start, false);
        let (node, _) = reader.value(0, Place::Field);
        let end = reader.pos();
        let Some(fuel) = self.fuel.checked_sub(end - start) else {
            self.is_exhausted = true;
            return None;
        };
        self.fuel = fuel;
        self.pos = reader.failure.map_or(end, |_| start + 1);
        Some(Braced {
            span: start..end,
            object: reader.failure.map_or(Ok(node), Err),
            is_exact: reader.notes.repairs().next().is_none(),
        })
    }
}

/// Returns the first balanced object that is valid JSON.
pub(crate) fn first_object(text: &str) -> Option<&str> {
    let mut objects = Objects::of(text);
    while let Some(found) = objects.next() {
        if found.object.is_ok() && found.is_exact {
            return text.get(found.span);
        }
        objects.pos = found.span.start + 1;
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
