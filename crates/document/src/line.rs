//! Walking a text line by line without an index.

use memchr::memchr2;

use crate::span::Span;

/// Lines of a text from an offset on; a line ends with `\n`, `\r\n` or `\r`.
pub(crate) struct Lines<'a> {
    text: &'a str,
    next: usize,
    number: usize,
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The line without its line break.
    pub(crate) text: &'a str,
    /// Its bytes without the line break.
    pub(crate) span: Span,
    /// Offset of the next line.
    pub(crate) next: usize,
    /// Its number in the file.
    pub(crate) number: usize,
}

impl<'a> Lines<'a> {
    /// The lines of `text` from byte `offset`, which begins line `number`.
    pub(crate) fn new(text: &'a str, offset: usize, number: usize) -> Self {
        Self {
            text,
            next: offset,
            number,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.next;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let bytes = rest.as_bytes();
        let length = memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
        let breaks = match &bytes[length..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let line = Line {
            text: &rest[..length],
            span: Span::new(start, start + length),
            next: start + length + breaks,
            number: self.number,
        };
        self.next = line.next;
        self.number += 1;
        Some(line)
    }
}

impl<'a> Line<'a> {
    /// Whether it holds nothing but white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }

    /// The line behind at most three spaces; `None` for indented code.
    pub(crate) fn unindented(&self) -> Option<&'a str> {
        let text = self.text.trim_start_matches(' ');
        (self.text.len() - text.len() <= 3).then_some(text)
    }
}

/// The opening of a code fence, which says what closes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence<'a> {
    marker: char,
    length: usize,
    /// The word behind the fence, such as `yaml`.
    pub(crate) language: &'a str,
}

impl<'a> Fence<'a> {
    /// The fence that `line` opens.
    pub(crate) fn opened_by(line: &Line<'a>) -> Option<Self> {
        let text = line.unindented()?;
        let marker = text
            .chars()
            .next()
            .filter(|char| matches!(char, '`' | '~'))?;
        let info = text.trim_start_matches(marker);
        let length = text.len() - info.len();
        if length < 3 || (marker == '`' && info.contains('`')) {
            return None;
        }
        Some(Self {
            marker,
            length,
            language: info.split_whitespace().next().unwrap_or_default(),
        })
    }

    /// Whether `line` closes it.
    pub(crate) fn closed_by(&self, line: &Line<'_>) -> bool {
        line.unindented().is_some_and(|text| {
            let rest = text.trim_start_matches(self.marker);
            text.len() - rest.len() >= self.length && rest.trim().is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_their_bytes_and_numbers() {
        let lines: Vec<_> = Lines::new("skip\na\r\n\rb", 5, 2)
            .map(|line| (line.text, line.span.start, line.next, line.number))
            .collect();
        assert_eq!(lines, [("a", 5, 8, 2), ("", 8, 9, 3), ("b", 9, 10, 4)]);
    }

    fn fence(text: &str) -> Option<Fence<'_>> {
        Fence::opened_by(&Lines::new(text, 0, 1).next()?)
    }

    #[test]
    fn a_fence_has_three_marks_and_at_most_three_spaces() {
        for (text, language) in [
            ("```yaml", Some("yaml")),
            ("   ~~~~ go x", Some("go")),
            ("```", Some("")),
            ("    ```", None),
            ("``", None),
            ("```a`b```", None),
            ("text", None),
        ] {
            assert_eq!(fence(text).map(|fence| fence.language), language, "{text}");
        }
    }

    #[test]
    fn a_fence_closes_with_as_many_marks_of_its_kind() {
        let open = fence("~~~~").expect("a fence");
        for (text, closes) in [
            ("~~~~", true),
            ("  ~~~~~  ", true),
            ("~~~", false),
            ("~~~~ x", false),
            ("````", false),
            ("    ~~~~", false),
        ] {
            let line = Lines::new(text, 0, 1).next().expect("a line");
            assert_eq!(open.closed_by(&line), closes, "{text}");
        }
    }
}
