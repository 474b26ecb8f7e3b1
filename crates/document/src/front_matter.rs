//! Locates the YAML block of a task file or plan.

use crate::span::{Place, Position, Span};

/// The YAML block at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// How the block is marked.
    pub kind: FrontMatterKind,
    /// The block with both marks and the line break after it.
    pub block: Span,
    /// The YAML between the marks.
    pub yaml: Span,
    /// The number of the line where the YAML starts.
    pub yaml_line: usize,
}

/// How a block of front matter is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterKind {
    /// `---` before it, `---` or `...` after it.
    Dashes,
    /// A fenced code block of language `yaml` at the start of the file or below
    /// its first heading.
    Fence,
}

/// A block of front matter without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the front matter is never closed")]
pub struct Unclosed {
    /// The start of the block.
    pub place: Place,
}

/// Finds the front matter of a file.
///
/// A byte order mark, blank lines before the block, spaces after its marks
/// and every kind of line break are accepted.
///
/// # Errors
/// [`Unclosed`] when the block starts and does not end.
///
/// ```
/// let text = "\u{feff}\r\n--- \r\ntask: 1\r\n...";
/// let found = review_document::front_matter::find(text)?.expect("a block");
/// assert_eq!(found.yaml.slice(text), Some("task: 1\r\n"));
/// assert_eq!(found.yaml_line, 3);
/// # Ok::<(), review_document::front_matter::Unclosed>(())
/// ```
pub fn find(text: &str) -> Result<Option<FrontMatter>, Unclosed> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut lines = Lines {
        text,
        next: start,
        number: 1,
    };
    let Some(first) = lines.find(|line| !line.is_blank()) else {
        return Ok(None);
    };
    if first.text.trim_end() == "---" {
        let closes = |line: &Line<'_>| matches!(line.text.trim_end(), "---" | "...");
        return block(FrontMatterKind::Dashes, first, lines, closes).map(Some);
    }
    let opening = if is_heading(&first) {
        lines.find(|line| !line.is_blank())
    } else {
        Some(first)
    };
    let fenced = opening.and_then(|line| Some((line, Fence::opened_by(&line)?)));
    match fenced {
        Some((line, fence)) if is_yaml(fence.language) => {
            block(FrontMatterKind::Fence, line, lines, |line| {
                fence.closed_by(line)
            })
            .map(Some)
        }
        _ => Ok(None),
    }
}

fn is_heading(line: &Line<'_>) -> bool {
    line.unindented()
        .and_then(|text| text.strip_prefix('#'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_yaml(language: &str) -> bool {
    ["yaml", "yml"]
        .iter()
        .any(|name| language.eq_ignore_ascii_case(name))
}

fn block<'a>(
    kind: FrontMatterKind,
    opening: Line<'a>,
    mut lines: Lines<'a>,
    closes: impl Fn(&Line<'a>) -> bool,
) -> Result<FrontMatter, Unclosed> {
    let close = lines.find(closes).ok_or(Unclosed {
        place: Place {
            span: opening.span,
            position: Position {
                line: opening.number,
                column: 1,
            },
        },
    })?;
    Ok(FrontMatter {
        kind,
        block: Span::new(opening.span.start, close.next),
        yaml: Span::new(opening.next, close.span.start),
        yaml_line: opening.number + 1,
    })
}

/// An iterator over the lines from an offset on; a line ends with `\n`, `\r\n` or `\r`.
struct Lines<'a> {
    text: &'a str,
    next: usize,
    number: usize,
}

/// A line.
#[derive(Clone, Copy, Debug)]
struct Line<'a> {
    /// The line without its line break.
    text: &'a str,
    /// Its bytes without the line break.
    span: Span,
    /// Offset of the next line.
    next: usize,
    /// Its number in the file.
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let start = self.next;
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let breaks = match &rest.as_bytes()[length..] {
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
    /// Returns whether it contains nothing but white space.
    fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }

    /// Returns the line after up to three spaces; `None` for indented code.
    fn unindented(&self) -> Option<&'a str> {
        let text = self.text.trim_start_matches(' ');
        (self.text.len() - text.len() <= 3).then_some(text)
    }
}

/// The opening of a code fence, which determines how it is closed.
#[derive(Clone, Copy, Debug)]
struct Fence<'a> {
    marker: char,
    length: usize,
    /// The word after the fence, such as `yaml`.
    language: &'a str,
}

impl<'a> Fence<'a> {
    /// Returns the fence that `line` opens.
    fn opened_by(line: &Line<'a>) -> Option<Self> {
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

    /// Returns whether `line` closes it.
    fn closed_by(&self, line: &Line<'_>) -> bool {
        line.unindented().is_some_and(|text| {
            let rest = text.trim_start_matches(self.marker);
            text.len() - rest.len() >= self.length && rest.trim().is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn yaml(text: &str) -> Option<&str> {
        find(text)
            .expect(text)
            .map(|found| found.yaml.slice(text).expect("inside"))
    }

    #[test]
    fn the_block_is_found_in_every_form() {
        for (text, expected) in [
            ("---\na: 1\n---\nbody", Some("a: 1\n")),
            ("---\r\na: 1\r\n---\r\nbody", Some("a: 1\r\n")),
            ("---\ra: 1\r---\r", Some("a: 1\r")),
            ("\u{feff}---\na: 1\n---\n", Some("a: 1\n")),
            ("\n \n---\na: 1\n---\n", Some("a: 1\n")),
            ("--- \t\na: 1\n---  \n", Some("a: 1\n")),
            ("---\na: 1\n---", Some("a: 1\n")),
            ("---\na: 1\n...\n", Some("a: 1\n")),
            ("---\n---\n", Some("")),
            ("# T\n\n```yaml\na: 1\n```\n", Some("a: 1\n")),
            ("# T\n~~~ YML\na: 1\n~~~\n", Some("a: 1\n")),
            ("```yaml\na: 1\n```\n", Some("a: 1\n")),
            ("# T\n\n```go\na: 1\n```\n", None),
            ("# T\n\ntext\n\n```yaml\na: 1\n```\n", None),
            ("#T\n```yaml\na: 1\n```\n", None),
            ("## T\n```yaml\na: 1\n```\n", None),
            ("text\n---\na: 1\n---\n", None),
            ("----\na: 1\n----\n", None),
            (" ---\na: 1\n ---\n", None),
            ("", None),
            ("\n\n", None),
        ] {
            assert_eq!(yaml(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_dash_line_in_the_body_does_not_end_a_fenced_block() {
        assert_eq!(yaml("# T\n```yaml\na: 1\n---\n```\n"), Some("a: 1\n---\n"));
    }

    #[test]
    fn line_numbers_and_spans_are_those_of_the_file() {
        let text = "\n---\na: 1\nb: 2\n---\nbody";
        let found = find(text).expect("closed").expect("there");
        assert_eq!(found.kind, FrontMatterKind::Dashes);
        assert_eq!(found.block.slice(text), Some("---\na: 1\nb: 2\n---\n"));
        assert_eq!(found.yaml_line, 3);
    }

    #[test]
    fn a_block_without_an_end_is_an_error_at_its_start() {
        for (text, line) in [
            ("\n---\na: 1\n", 2),
            ("# T\n```yaml\na: 1\n", 2),
            ("---", 1),
        ] {
            let error = find(text).expect_err(text);
            assert_eq!(
                error.place.position,
                Position { line, column: 1 },
                "{text:?}"
            );
        }
    }

    fn lines(text: &str, next: usize, number: usize) -> Lines<'_> {
        Lines { text, next, number }
    }

    #[test]
    fn lines_have_their_bytes_and_numbers() {
        let lines: Vec<_> = lines("skip\na\r\n\rb", 5, 2)
            .map(|line| (line.text, line.span, line.next, line.number))
            .collect();
        assert_eq!(
            lines,
            [
                ("a", Span::new(5, 6), 8, 2),
                ("", Span::new(8, 8), 9, 3),
                ("b", Span::new(9, 10), 10, 4)
            ]
        );
    }

    fn fence(text: &str) -> Option<Fence<'_>> {
        Fence::opened_by(&lines(text, 0, 1).next()?)
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
            let line = lines(text, 0, 1).next().expect("a line");
            assert_eq!(open.closed_by(&line), closes, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_span_is_inside_the_input(text in "([-.`~# a\r\n]|\u{feff}|yaml|---\n){0,30}") {
            if let Ok(Some(found)) = find(&text) {
                prop_assert!(found.yaml.slice(&text).is_some());
                prop_assert!(found.block.slice(&text).is_some());
                prop_assert!(found.block.start <= found.yaml.start);
                prop_assert!(found.yaml.end <= found.block.end);
            }
        }
    }
}
