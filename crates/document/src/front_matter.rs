//! Where the YAML block of a task file or plan stands.

use crate::line::{Fence, Line, Lines};
use crate::span::{Place, Position, Span};

/// The YAML block at the head of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// How the block is marked.
    pub kind: FrontMatterKind,
    /// The block with both marks and the line break behind it.
    pub block: Span,
    /// The YAML between the marks.
    pub yaml: Span,
    /// The line in which the YAML begins.
    pub yaml_line: usize,
    /// The line behind the block.
    pub body_line: usize,
}

/// How a block of front matter is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontMatterKind {
    /// `---` before it, `---` or `...` behind it.
    Dashes,
    /// A fenced code block of language `yaml` at the head of the file or under
    /// its first heading.
    Fence,
}

/// A block of front matter that never ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the front matter is never closed")]
pub struct Unclosed {
    /// Where it begins.
    pub place: Place,
}

/// Finds the front matter of a file.
///
/// A byte order mark, blank lines before the block, blanks behind its marks
/// and every kind of line break are accepted.
///
/// # Errors
/// [`Unclosed`] when the block begins and does not end.
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
    let mut lines = Lines::new(text, start, 1);
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
        body_line: close.number + 1,
    })
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
    fn the_block_is_found_however_it_is_written() {
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
    fn the_lines_and_the_block_are_those_of_the_file() {
        let text = "\n---\na: 1\nb: 2\n---\nbody";
        let found = find(text).expect("closed").expect("there");
        assert_eq!(found.kind, FrontMatterKind::Dashes);
        assert_eq!(found.block.slice(text), Some("---\na: 1\nb: 2\n---\n"));
        assert_eq!((found.yaml_line, found.body_line), (3, 6));
    }

    #[test]
    fn a_block_without_an_end_is_an_error_where_it_begins() {
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

    proptest! {
        #[test]
        fn any_text_gives_spans_inside_it(text in "([-.`~# a\r\n]|\u{feff}|yaml|---\n){0,30}") {
            if let Ok(Some(found)) = find(&text) {
                prop_assert!(found.yaml.slice(&text).is_some());
                prop_assert!(found.block.slice(&text).is_some());
                prop_assert!(found.block.start <= found.yaml.start);
                prop_assert!(found.yaml.end <= found.block.end);
            }
        }
    }
}
