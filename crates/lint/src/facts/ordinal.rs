//! The position in the unit that a task states: `#3 of 7`.

use std::sync::LazyLock;

use regex::Regex;
use review_document::Span;
use review_document::workspace::Document;

/// The position that a task states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ordinal {
    pub(crate) number: u32,
    pub(crate) count: u32,
    /// `#3 of 7`.
    pub(crate) span: Span,
    pub(crate) number_span: Span,
    pub(crate) count_span: Span,
}

/// The maximum number of bytes that are searched.
const MAX_HEAD: usize = 8 << 10;

/// The maximum number of characters between the word "task" and the number.
const MAX_GAP: usize = 40;

/// The maximum number of digits of a task number.
const MAX_DIGITS: usize = 6;

/// Matches "N of M"; absent only if the expression does not compile.
static ORDINAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([0-9]+)[ \t]+(?i:of)[ \t]+([0-9]+)").ok());

impl Ordinal {
    /// The position stated before the first section.
    pub(crate) fn of(document: &Document) -> Option<Self> {
        let headings = &document.outline.headings;
        let section = headings.iter().find(|heading| heading.level > 1);
        let end = section.map_or(document.source.len(), |heading| heading.span.start);
        let head = document.source.get(document.body..end)?;
        let found = Self::in_text(&head[..head.floor_char_boundary(MAX_HEAD)])?;
        Some(Self {
            span: found.span.shifted(document.body),
            number_span: found.number_span.shifted(document.body),
            count_span: found.count_span.shifted(document.body),
            ..found
        })
    }

    /// The first "N of M" shortly after the word "task", on its line.
    fn in_text(text: &str) -> Option<Self> {
        let mut all = ORDINAL.as_ref()?.captures_iter(text);
        all.find_map(|found| {
            let (number, count) = (found.get(1)?, found.get(2)?);
            let (before, behind) = (&text[..number.start()], &text[count.end()..]);
            let bare = before.strip_suffix('#').unwrap_or(before);
            let is_apart = !before.ends_with(is_in_word);
            let is_short = number.len() <= MAX_DIGITS && count.len() <= MAX_DIGITS;
            let counts = is_apart && is_short && !behind.starts_with(is_in_word);
            (counts && follows_task(bare)).then_some(())?;
            Some(Self {
                number: number.as_str().parse().ok()?,
                count: count.as_str().parse().ok()?,
                span: Span::new(bare.len(), count.end()),
                number_span: number.range().into(),
                count_span: count.range().into(),
            })
        })
    }
}

/// Whether the word "task" is on the last line of a string, near its end.
fn follows_task(text: &str) -> bool {
    let line = text.rsplit(['\n', '\r']).next().unwrap_or_default();
    let line = line.to_ascii_lowercase();
    line.rmatch_indices("task").any(|(at, word)| {
        let behind = &line[at + word.len()..];
        !line[..at].ends_with(is_in_word)
            && !behind.starts_with(is_in_word)
            && behind.chars().count() <= MAX_GAP
    })
}

fn is_in_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

impl Ordinal {
    /// The count that a document should state: its own if the plan's table has as many
    /// `rows`, otherwise the number of task `files`.
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
        let document = Document::parse("t.md", DocumentRole::Task, text.as_str());
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
    fn the_number_is_at_most_40_characters_after_the_word() {
        let text = |gap: usize, mark: &str| format!("Task{}{mark}3 of 7\n", ": ".repeat(gap / 2));
        assert_eq!(ordinal(&text(40, "")).map(|found| found.0), Some(3));
        assert_eq!(ordinal(&text(40, "#")).map(|found| found.0), Some(3));
        assert_eq!(ordinal(&text(42, "")), None);
        let wide = format!("Task {} 3 of 7\n", "\u{e9}".repeat(38));
        assert_eq!(ordinal(&wide).map(|found| found.0), Some(3));
    }

    #[test]
    fn other_numbers_before_it_are_skipped() {
        for body in [
            "Task 9, 3 OF 7",
            "Task 1234567 of 9, 3 of 7",
            "TASK v1: task 3 of 7",
            "Task a4 3 of 7 and 5 of 6",
        ] {
            let found = ordinal(body).map(|(number, count, _)| (number, count));
            assert_eq!(found, Some((3, 7)), "{body}");
        }
    }

    #[test]
    fn other_numbers_are_not_positions() {
        for body in [
            "# A\n\n## B\n\n**Task**: #3 of 7\n",
            "PR #3 of 7\n",
            "Tasks #3 of 7\n",
            "Task\n\n#3 of 7\n",
            "Task: #3 of 7th\n",
            "Task: v3 of 7\n",
            "Task: 1234567 of 8\n",
            "Task: 3 of 1234567\n",
            "Task: 3of 7\n",
            "Task: 3 of7\n",
            "Task: 3 or 7\n",
            "multitask 3 of 7\n",
            "",
        ] {
            assert_eq!(ordinal(body), None, "{body}");
        }
        let late = format!("{}\nTask: #3 of 7\n", "\u{e9}x\u{e9}".repeat(MAX_HEAD));
        assert_eq!(ordinal(&late), None);
    }
}
