//! Edits of files that belong to the user: byte ranges are replaced, and
//! everything else is unchanged.

mod field;
mod place;
mod status;

use serde::Serialize;

use crate::span::Span;

pub use field::add_command;
pub(crate) use field::{StatusField, front_matter};
pub use status::{SetStatusError, set_status};

/// A byte range and its replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Edit {
    /// The replaced range; empty for an insertion.
    pub span: Span,
    /// The replacement; empty for a deletion.
    pub text: String,
}

/// An error in applying edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A range is out of bounds or splits a character.
    #[error("bytes {} to {} are not in the document", .0.start, .0.end)]
    Outside(Span),
    /// Two ranges overlap or touch, so that their order would matter.
    #[error("the edits of bytes {} to {} and of bytes {} to {} overlap or touch", first.start, first.end, second.start, second.end)]
    Meeting {
        /// The range that starts first.
        first: Span,
        /// The other one.
        second: Span,
    },
}

/// Applies edits, given in any order, all of them or none.
///
/// # Errors
/// [`EditError`] when a range is out of bounds or two ranges overlap or touch.
///
/// ```
/// use review_document::{Edit, Span, apply};
///
/// let edit = |span, text: &str| Edit { span, text: text.to_owned() };
/// let edits = [edit(Span::new(4, 5), "two"), edit(Span::new(0, 1), "one")];
/// assert_eq!(apply("1 + 2", &edits).as_deref(), Ok("one + two"));
/// ```
pub fn apply(source: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    for pair in edits.windows(2) {
        let (first, second) = (pair[0].span, pair[1].span);
        if second.start <= first.end {
            return Err(EditError::Meeting { first, second });
        }
    }
    let mut result = String::with_capacity(source.len());
    let mut done = 0;
    for edit in edits {
        let outside = EditError::Outside(edit.span);
        edit.span.slice(source).ok_or(outside)?;
        result.push_str(&source[done..edit.span.start]);
        result.push_str(&edit.text);
        done = edit.span.end;
    }
    result.push_str(&source[done..]);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span { start, end },
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_replace_insert_and_delete() {
        for (edits, expected) in [
            (vec![], "abcdef"),
            (vec![edit(0, 0, "x")], "xabcdef"),
            (vec![edit(6, 6, "x")], "abcdefx"),
            (vec![edit(4, 6, ""), edit(1, 3, "XYZ")], "aXYZd"),
        ] {
            assert_eq!(apply("abcdef", &edits).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn ranges_that_overlap_or_touch_are_refused() {
        for (first, second) in [
            ((0, 2), (1, 3)),
            ((0, 2), (2, 3)),
            ((2, 2), (2, 2)),
            ((1, 4), (2, 3)),
        ] {
            let edits = [edit(second.0, second.1, "b"), edit(first.0, first.1, "a")];
            let expected = EditError::Meeting {
                first: Span::new(first.0, first.1),
                second: Span::new(second.0, second.1),
            };
            assert_eq!(apply("abcdef", &edits), Err(expected));
        }
    }

    #[test]
    fn ranges_outside_the_source_are_refused() {
        for (start, end) in [(0, 4), (4, 4), (1, 2), (2, 1)] {
            let span = Span { start, end };
            assert_eq!(
                apply("äb", &[edit(start, end, "")]),
                Err(EditError::Outside(span))
            );
        }
    }

    proptest! {
        #[test]
        fn everything_outside_the_ranges_stays(
            source in "[a-c\u{e9}\n]{0,20}",
            start in 0usize..30,
            len in 0usize..10,
            text in "[x-z]{0,4}",
        ) {
            let result = apply(&source, &[edit(start, start + len, &text)]);
            match (source.get(..start), source.get(start + len..)) {
                (Some(before), Some(after)) => {
                    prop_assert_eq!(result, Ok(format!("{before}{text}{after}")));
                }
                _ => prop_assert!(result.is_err()),
            }
        }
    }
}
