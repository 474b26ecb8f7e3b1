//! Places in a document: byte ranges, and line and column numbers.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A range of bytes in a document, with the end excluded.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the range from `start` to `end`; empty at `start` when `end` is less.
    pub const fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: if end < start { start } else { end },
        }
    }

    /// Returns the empty range at `offset`.
    pub const fn empty(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Returns the number of bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns whether it contains the byte at `offset`.
    pub const fn contains(self, offset: usize) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Returns the range moved by `by` bytes.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
        }
    }

    /// Returns the bytes as a standard range.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the part inside; `None` when the range is out of bounds or splits a character.
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.range())
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Default for Position {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

/// The place of something in its file.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Place {
    /// Its bytes.
    pub span: Span,
    /// The line and column of its first byte.
    pub position: Position,
}

/// A value together with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The place of the value in its file.
    pub place: Place,
}

/// An index of the lines of a document, for turning offsets into positions.
///
/// A line ends with `\n`, `\r\n` or a lone `\r`, as in YAML and CommonMark.
/// Building it is linear; a lookup is logarithmic, also within a long line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
    continuations: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Builds the index of the lines of `text`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut continuations = Vec::new();
        for (offset, &byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => starts.push(offset + 1),
                b'\r' if bytes.get(offset + 1) != Some(&b'\n') => starts.push(offset + 1),
                0x80..=0xBF => continuations.push(offset),
                _ => {}
            }
        }
        Self {
            starts,
            continuations,
            len: bytes.len(),
        }
    }

    /// Returns the number of lines; there is an empty last one after a final line break.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Returns the position of the byte at `offset`; the end for a larger offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.len);
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        Position {
            line,
            column: self.characters(offset) - self.characters(start) + 1,
        }
    }

    /// Returns the place of `span`.
    pub fn place(&self, span: Span) -> Place {
        Place {
            span,
            position: self.position(span.start),
        }
    }

    /// Returns the bytes of a line with its line break; `None` beyond the last line.
    pub fn line(&self, line: usize) -> Option<Span> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let end = self.starts.get(line).copied().unwrap_or(self.len);
        Some(Span::new(start, end))
    }

    /// Returns the number of characters that start before `offset`.
    fn characters(&self, offset: usize) -> usize {
        offset - self.continuations.partition_point(|&at| at < offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_line_break_ends_a_line() {
        let index = LineIndex::new("a\nb\r\nc\rd");
        let lines: Vec<_> = [0, 2, 5, 7].map(|at| index.position(at).line).into();
        assert_eq!(lines, [1, 2, 3, 4]);
        assert_eq!(index.lines(), 4);
        assert_eq!(index.line(2), Some(Span::new(2, 5)));
        assert_eq!(index.line(4), Some(Span::new(7, 8)));
        assert_eq!(index.line(5), None);
        assert_eq!(index.line(0), None);
    }

    #[test]
    fn columns_count_characters() {
        let index = LineIndex::new("x\näöü z");
        let at = "x\näöü ".len();
        assert_eq!(index.position(at), Position { line: 2, column: 5 });
    }

    #[test]
    fn an_offset_after_the_end_is_the_end() {
        assert_eq!(
            LineIndex::new("ab\n").position(99),
            Position { line: 2, column: 1 }
        );
    }

    #[test]
    fn a_span_that_ends_before_it_starts_is_empty() {
        assert_eq!(Span::new(4, 2), Span::empty(4));
        assert!(Span::new(4, 2).is_empty());
        assert_eq!(Span::new(2, 4).len(), 2);
        assert!(Span::new(2, 4).contains(3) && !Span::new(2, 4).contains(4));
    }

    proptest! {
        #[test]
        fn a_position_agrees_with_counting(text in "[a\u{e9}\u{1F980}\r\n]{0,40}", at in 0usize..80) {
            let mut at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let (mut line, mut column) = (1, 1);
            let mut rest = text[..at].chars().peekable();
            while let Some(char) = rest.next() {
                let joined = char == '\r' && text[..at].len() < text.len()
                    && rest.peek().is_none() && text[at..].starts_with('\n');
                match char {
                    '\r' if rest.peek() == Some(&'\n') || joined => column += 1,
                    '\n' | '\r' => { line += 1; column = 1; }
                    _ => column += 1,
                }
            }
            prop_assert_eq!(LineIndex::new(&text).position(at), Position { line, column });
        }
    }
}
