//! The place in its unit that the head of a task states: `#3 of 7`.

use std::sync::LazyLock;

use regex::{Match, Regex};
use review_document::Span;
use review_document::workspace::Document;

/// What a task says about its place among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ordinal {
    pub(crate) number: u32,
    pub(crate) count: u32,
    /// `#3 of 7`.
    pub(crate) span: Span,
    pub(crate) number_span: Span,
    pub(crate) count_span: Span,
}

/// The most bytes in which it is looked for.
const MAX_HEAD: usize = 8 << 10;

/// A line that speaks of a task, and a number of a number in it.
static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\btask\b[^\r\n]{0,40}?((?:#|\b)(\d{1,6})[ \t]+of[ \t]+(\d{1,6})\b)").ok()
});

impl Ordinal {
    /// What stands before the first section.
    pub(crate) fn of(document: &Document) -> Option<Self> {
        let headings = document.outline.headings();
        let section = headings.iter().find(|heading| heading.level > 1);
        let end = section.map_or(document.source.len(), |heading| heading.span.start);
        let head = document.source.get(document.body..end)?;
        let mut length = head.len().min(MAX_HEAD);
        while !head.is_char_boundary(length) {
            length -= 1;
        }
        let found = PATTERN.as_ref()?.captures(&head[..length])?;
        let span = |found: Match<'_>| Span::from(found.range()).shifted(document.body);
        let (number, count) = (found.get(2)?, found.get(3)?);
        Some(Self {
            number: number.as_str().parse().ok()?,
            count: count.as_str().parse().ok()?,
            span: span(found.get(1)?),
            number_span: span(number),
            count_span: span(count),
        })
    }
}

impl Ordinal {
    /// The count that the text should state: its own where the plan's table has
    /// as many `rows`, else that of the task `files`.
    pub(crate) fn right_count(&self, files: usize, rows: Option<usize>) -> usize {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        if rows == Some(count) { count } else { files }
    }
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    fn ordinal(body: &str) -> Option<(u32, u32, String)> {
        let text = format!("---\ntask: 1\n---\n{body}");
        let document = Document::parse("t.md", DocumentRole::Task, &text);
        let found = Ordinal::of(&document)?;
        let written = |span: Span| span.slice(&text).unwrap_or_default().to_owned();
        assert_eq!(written(found.number_span), found.number.to_string());
        assert_eq!(written(found.count_span), found.count.to_string());
        Some((found.number, found.count, written(found.span)))
    }

    #[test]
    fn it_is_read_before_the_first_section() {
        for body in [
            "# A\n\n**Task**: #3 of 7 in implementation plan\n\n## B\n",
            "# Task 3 of 7: A\n",
            "# A\n\n**Parent spec**: `/specs/9 of 10.md` **Task**: #3 of 7\n",
            "Task #3 \tof 7",
        ] {
            let found = ordinal(body).map(|(number, count, _)| (number, count));
            assert_eq!(found, Some((3, 7)), "{body}");
        }
        assert_eq!(
            ordinal("Task: #3 of 7.").map(|found| found.2).as_deref(),
            Some("#3 of 7")
        );
    }

    #[test]
    fn other_numbers_are_none() {
        for body in [
            "# A\n\n## B\n\n**Task**: #3 of 7\n",
            "PR #3 of 7\n",
            "Tasks #3 of 7\n",
            "Task\n\n#3 of 7\n",
            "Task: #3 of 7th\n",
            "Task: v3 of 7\n",
            "",
        ] {
            assert_eq!(ordinal(body), None, "{body}");
        }
        let late = format!("{}\nTask: #3 of 7\n", "\u{e9}x\u{e9}".repeat(MAX_HEAD));
        assert_eq!(ordinal(&late), None);
    }
}
