//! Title and parent spec of a file, read without a Markdown parser: the loader
//! reads hundreds of files and needs their first lines only.

use crate::front_matter::{FrontMatter, FrontMatterKind};
use crate::line::{Fence, Line, Lines};
use crate::reference::{after_label, target};
use crate::span::{Place, Position, Span, Spanned};

/// What the lines before the first section say.
#[derive(Default)]
pub(crate) struct Header {
    /// The first heading of level 1.
    pub(crate) title: Option<Spanned<String>>,
    /// The spec that the file belongs to, as written.
    pub(crate) parent_spec: Option<Spanned<String>>,
}

/// A line outside fences and comments.
enum Block<'a> {
    Heading { level: usize, text: &'a str },
    Underline { level: usize },
    Blank,
    Text,
}

/// Reads from the end of the front matter to the first section.
pub(crate) fn read(text: &str, front_matter: Option<&FrontMatter>) -> Header {
    let (offset, number) = body(text, front_matter);
    let mut header = Header::default();
    let mut paragraph: Option<Line<'_>> = None;
    for line in prose(text, offset, number) {
        let heading = match block(&line, paragraph.is_some()) {
            Block::Heading { level, text } => {
                paragraph = None;
                Some((level, text, line))
            }
            Block::Underline { level } => paragraph.take().map(|first| (level, first.text, first)),
            Block::Blank => {
                paragraph = None;
                None
            }
            Block::Text => {
                paragraph.get_or_insert(line);
                None
            }
        };
        match heading {
            Some((1, title, line)) if header.title.is_none() => {
                let title = title.trim();
                let indent = line.text.find(title).unwrap_or_default();
                let start = line.span.start + indent;
                header.title = Some(spanned(text, Span::new(start, start + title.len()), &line));
            }
            Some((2.., ..)) if header.title.is_some() => break,
            _ => {}
        }
        if header.parent_spec.is_none() {
            header.parent_spec = after_label(&line, "parent spec")
                .and_then(|offset| target(text, offset))
                .map(|span| spanned(text, span, &line));
        }
    }
    header
}

/// Where the text behind the front matter begins.
pub(crate) fn body(text: &str, front_matter: Option<&FrontMatter>) -> (usize, usize) {
    match front_matter {
        Some(found) if found.kind == FrontMatterKind::Dashes => (found.block.end, found.body_line),
        _ if text.starts_with('\u{feff}') => (3, 1),
        _ => (0, 1),
    }
}

/// The lines outside code fences and HTML comments.
pub(crate) fn prose(text: &str, offset: usize, number: usize) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<Fence<'_>> = None;
    let mut comment = false;
    Lines::new(text, offset, number).filter(move |line| {
        if let Some(open) = &fence {
            if open.closed_by(line) {
                fence = None;
            }
            return false;
        }
        if comment
            || line
                .unindented()
                .is_some_and(|text| text.starts_with("<!--"))
        {
            comment = !line.text.contains("-->");
            return false;
        }
        fence = Fence::opened_by(line);
        fence.is_none()
    })
}

pub(crate) fn spanned(text: &str, span: Span, line: &Line<'_>) -> Spanned<String> {
    let before = Span::new(line.span.start, span.start).slice(text);
    let (lines, column) = before.map_or((0, 1), |before| {
        let last = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        (usize::from(last > 0), before[last..].chars().count() + 1)
    });
    Spanned {
        value: span.slice(text).unwrap_or_default().to_owned(),
        place: Place {
            span,
            position: Position {
                line: line.number + lines,
                column,
            },
        },
    }
}

fn block<'a>(line: &Line<'a>, in_paragraph: bool) -> Block<'a> {
    if line.is_blank() {
        return Block::Blank;
    }
    let Some(text) = line.unindented() else {
        return Block::Text;
    };
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Block::Heading {
            level,
            text: without_closing_marks(rest.trim()),
        };
    }
    let bare = text.trim_end();
    for (mark, level) in [('=', 1), ('-', 2)] {
        if in_paragraph && bare.chars().all(|char| char == mark) {
            return Block::Underline { level };
        }
    }
    Block::Text
}

fn without_closing_marks(title: &str) -> &str {
    let bare = title.trim_end_matches('#');
    if bare.is_empty() || bare.ends_with([' ', '\t']) {
        bare.trim_end()
    } else {
        title
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn title(text: &str) -> Option<String> {
        read(text, None).title.map(|title| title.value)
    }

    #[test]
    fn the_title_is_the_first_heading_outside_fences_and_comments() {
        let long = format!("{}\n\n# Title\n", "x".repeat(70_000));
        for (text, expected) in [
            ("# Title\n", Some("Title")),
            ("```sh\n# comment\n```\n# Title\n", Some("Title")),
            ("~~~\n# comment\n```\n~~~\n# Title\n", Some("Title")),
            ("<!-- \n# no\n-->\n# Title\n", Some("Title")),
            ("<!-- a --> \n# Title\n", Some("Title")),
            (&long, Some("Title")),
            ("   # Title ##\n", Some("Title")),
            ("    # code\n", None),
            ("#\tC#\n", Some("C#")),
            ("#tag\n# Title\n", Some("Title")),
            ("Title\n=====\n", Some("Title")),
            ("\n=====\n# Title\n", Some("Title")),
            ("## Section\n# Title\n", Some("Title")),
            ("## Section\n", None),
            ("\u{feff}# Title\r\n", Some("Title")),
            ("# ##\n", Some("")),
            ("", None),
        ] {
            assert_eq!(title(text).as_deref(), expected, "{text:.40?}");
        }
    }

    #[test]
    fn a_title_has_its_place() {
        let text = "x\n\n  # Über uns #\n";
        let place = read(text, None).title.expect("a title").place;
        assert_eq!(place.span.slice(text), Some("Über uns"));
        assert_eq!(place.position, Position { line: 3, column: 5 });
    }

    #[test]
    fn the_parent_spec_stands_before_the_first_section() {
        let parent = |text| {
            read(text, None)
                .parent_spec
                .map(|spec| (spec.value, spec.place.position.line))
        };
        let found = Some(("/specs/A.md".to_owned(), 3));
        assert_eq!(
            parent("# T\n\n**Parent spec**: `/specs/A.md`\n## S\n"),
            found
        );
        assert_eq!(parent("# T\nParent spec:\n`/specs/A.md`\n"), found);
        assert_eq!(parent("# T\n## S\nParent spec: `/specs/A.md`\n"), None);
        assert_eq!(parent("# T\n```\nParent spec: `/specs/A.md`\n```\n"), None);
        let two = "# T\n\nParent spec: `/specs/A.md`\nParent spec: `/specs/B.md`\n";
        assert_eq!(parent(two), found);
    }

    #[test]
    fn reading_starts_behind_the_front_matter() {
        let text = "---\n# comment\n---\n# Title\n";
        let found = crate::front_matter::find(text).expect("closed");
        let title = read(text, found.as_ref()).title.expect("a title");
        assert_eq!(
            (title.value.as_str(), title.place.position.line),
            ("Title", 4)
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_places_inside_it(text in "([#=`~<!> a\u{e9}\r\n-]|Parent spec: |\n# ){0,30}") {
            let header = read(&text, None);
            for found in [header.title, header.parent_spec].into_iter().flatten() {
                prop_assert_eq!(found.place.span.slice(&text), Some(found.value.as_str()));
                let index = crate::span::LineIndex::new(&text);
                prop_assert_eq!(index.place(found.place.span), found.place);
            }
        }
    }
}
