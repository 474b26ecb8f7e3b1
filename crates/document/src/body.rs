//! Facts from the Markdown of a file: its title, and lines such as
//! `**Parent spec**: ...`.

use crate::front_matter::{FrontMatter, FrontMatterKind};
use crate::markdown::Outline;
use crate::path::markdown_stem;
use crate::reference::{after_label, base_name, target};
use crate::span::{LineIndex, Span, Spanned};

/// The Markdown of a file.
pub(crate) struct Body<'a> {
    text: &'a str,
    start: usize,
    outline: Outline,
}

impl<'a> Body<'a> {
    /// Parses the part of `text` after the front matter.
    pub(crate) fn of(text: &'a str, front_matter: Option<&FrontMatter>) -> Self {
        Self::read(text, front_matter, Outline::parse_body)
    }

    /// Parses only up to the first section; the title and the parent spec come
    /// before it.
    pub(crate) fn head(text: &'a str, front_matter: Option<&FrontMatter>) -> Self {
        Self::read(text, front_matter, Outline::parse_head)
    }

    fn read(
        text: &'a str,
        front_matter: Option<&FrontMatter>,
        parse: fn(&str, usize) -> Outline,
    ) -> Self {
        let start = match front_matter {
            Some(found) if found.kind == FrontMatterKind::Dashes => found.block.end,
            _ if text.starts_with('\u{feff}') => 3,
            _ => 0,
        };
        Self {
            text,
            start,
            outline: parse(text, start),
        }
    }

    /// Returns the first heading of level 1, without its markup.
    pub(crate) fn title(&self) -> Option<Spanned<String>> {
        let mut headings = self.outline.headings.iter();
        let heading = headings.find(|heading| heading.level == 1)?;
        let value = heading.text.trim().to_owned();
        Some(Spanned {
            value,
            ..self.spanned(heading.content)
        })
    }

    /// Returns the parent spec that is named before the heading of the first section,
    /// as written.
    pub(crate) fn parent_spec(&self) -> Option<Spanned<String>> {
        let mut headings = self.outline.headings.iter();
        let title = headings.find(|heading| heading.level == 1);
        let section = headings.find(|heading| title.is_some() && heading.level > 1);
        let end = section.map_or(self.text.len(), |section| section.span.end);
        let mut lines = self.lines().take_while(|line| line.start < end);
        let named = lines.find_map(|line| {
            let after = after_label(self.text, line, "parent spec")?;
            target(self.text, after)
        });
        named.map(|span| self.spanned(span))
    }

    /// Returns the file after `Design spec:`, or on the line below a heading that
    /// starts with these words.
    pub(crate) fn design_spec(&self) -> Option<Spanned<String>> {
        let mut under_heading = false;
        for line in self.lines() {
            let label = after_label(self.text, line, "design spec");
            let text = line.slice(self.text).unwrap_or_default();
            let is_blank = text.trim().is_empty();
            let found = match label {
                Some(after) if text.contains(':') => target(self.text, after),
                None if under_heading && !is_blank => target(self.text, line.start),
                _ => None,
            };
            let found = found.map(|span| self.spanned(span));
            if let Some(spec) = found.filter(|spec| markdown_stem(base_name(&spec.value)).is_some())
            {
                return Some(spec);
            }
            let heading = text.trim_start().starts_with('#');
            under_heading = (heading && label.is_some()) || (under_heading && is_blank);
        }
        None
    }

    /// Returns the lines outside code blocks that do not start in a comment.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Span> {
        let comments = &self.outline.comments;
        let is_comment = |at: usize| {
            let next = comments.partition_point(|comment| comment.span.end <= at);
            comments
                .get(next)
                .is_some_and(|comment| comment.span.start <= at)
        };
        let stretches = self.outline.outside_code(self.text, self.start);
        let lines = stretches.flat_map(|stretch| {
            let text = stretch.slice(self.text).unwrap_or_default();
            let mut start = stretch.start;
            text.split_inclusive(['\n', '\r']).map(move |line| {
                let span = Span::new(start, start + line.trim_end_matches(['\n', '\r']).len());
                start += line.len();
                (span, span.start + line.len() - line.trim_start().len())
            })
        });
        lines.filter_map(move |(line, begin)| (!is_comment(begin)).then_some(line))
    }

    fn spanned(&self, span: Span) -> Spanned<String> {
        Spanned {
            value: span.slice(self.text).unwrap_or_default().to_owned(),
            place: LineIndex::new(&self.text[..span.end]).place(span),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::span::Position;

    fn title(text: &str) -> Option<String> {
        Body::head(text, None).title().map(|title| title.value)
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
            ("# Keep \\*args and `x\\*`\n", Some("Keep *args and x\\*")),
            ("\n=====\n# Title\n", Some("Title")),
            ("## Section\n# Title\n", Some("Title")),
            ("## Section\n", None),
            ("\u{feff}# Title\r\n", Some("Title")),
            ("# ##\n", Some("")),
            ("# <b>Bold</b> title\n", Some("Bold title")),
            ("# <Parent spec: >\n", Some("")),
            ("", None),
        ] {
            assert_eq!(title(text).as_deref(), expected, "{text:.40?}");
        }
    }

    #[test]
    fn a_title_has_its_place() {
        let text = "x\n\n  # Über uns #\n";
        let place = Body::head(text, None).title().expect("a title").place;
        assert_eq!(place.span.slice(text), Some("Über uns"));
        assert_eq!(place.position, Position { line: 3, column: 5 });
    }

    #[test]
    fn the_parent_spec_comes_before_the_first_section() {
        let parent = |text| {
            Body::head(text, None)
                .parent_spec()
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
        // A mark below makes the line the heading of the first section.
        assert_eq!(parent("# T\n\nParent spec: `/specs/A.md`\n -\n"), found);
        assert_eq!(parent("# T\n\n    Parent spec: `/specs/A.md`\n"), None);
    }

    #[test]
    fn a_parent_spec_in_a_comment_does_not_count() {
        for (text, expected) in [
            (
                "# T\n<!--\nParent spec: `/a.md`\n-->\nParent spec: `/b.md`\n",
                "/b.md",
            ),
            ("# T\n<!-- a -->\nParent spec: `/b.md`\n", "/b.md"),
            (
                "# T\n<!-- a -->\n\nx <!--\n  Parent spec: `/a.md` -->\nParent spec: `/b.md`\n",
                "/b.md",
            ),
        ] {
            let spec = Body::head(text, None).parent_spec();
            assert_eq!(spec.expect("a spec").value, expected, "{text:?}");
        }
    }

    #[test]
    fn the_title_is_after_dashed_front_matter_or_before_a_fenced_one() {
        for (text, line) in [
            ("---\n# comment\n---\n# Title\n", 4),
            ("# Title\n\n```yaml\ntask: 1\n```\n", 1),
            ("```yaml\n# comment\n```\n# Title\n", 4),
        ] {
            let found = crate::front_matter::find(text).expect("closed");
            assert!(found.is_some(), "{text:?}");
            let title = Body::head(text, found.as_ref()).title().expect("a title");
            assert_eq!(
                (title.value.as_str(), title.place.position.line),
                ("Title", line),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_place_is_inside_the_input(text in "([#=`~<!> a\u{e9}\r\n-]|Parent spec: |\n# ){0,30}") {
            let body = Body::of(&text, None);
            // A title is without its markup, so it is not what its place holds.
            for file in [body.parent_spec(), body.design_spec()].into_iter().flatten() {
                prop_assert_eq!(file.place.span.slice(&text), Some(file.value.as_str()));
            }
            for found in [body.title(), body.parent_spec(), body.design_spec()].into_iter().flatten() {
                prop_assert!(found.place.span.slice(&text).is_some());
                let index = crate::span::LineIndex::new(&text);
                prop_assert_eq!(index.place(found.place.span), found.place);
            }
        }
    }
}
