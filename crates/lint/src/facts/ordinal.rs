//! The place in its unit that the head of a task states: `#3 of 7`.

use memchr::{memchr2, memchr2_iter};
use review_document::Span;
use review_document::workspace::Document;

use crate::words::beginning;

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

/// The most characters between the word "task" and the number.
const MAX_GAP: usize = 40;

/// Numbers with more digits are none of tasks.
const MAX_DIGITS: usize = 6;

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
        let found = Self::in_text(&head[..length])?;
        Some(found.shifted(document.body))
    }

    /// The first number of a number that stands not far behind the word "task",
    /// on its line.
    fn in_text(text: &str) -> Option<Self> {
        // Most words have no such letter.
        let last = memchr2_iter(b'k', b'K', text.as_bytes());
        let mut ends = last.map(|last| last + 1).filter(|&end| {
            let begin = end.saturating_sub("task".len());
            let word = text.get(begin..end).unwrap_or_default();
            word.eq_ignore_ascii_case("task")
                && !text[..begin].ends_with(is_in_word)
                && !text[end..].starts_with(is_in_word)
        });
        ends.find_map(|end| {
            let rest = &text[end..];
            let line = memchr2(b'\n', b'\r', rest.as_bytes()).map_or(rest, |at| &rest[..at]);
            Some(Self::behind(line)?.shifted(end))
        })
    }

    /// The first number of a number in what stands behind the word.
    fn behind(text: &str) -> Option<Self> {
        // What may precede the number, a mark before it, and its first digit.
        let near = beginning(text, MAX_GAP + 2);
        let mut from = 0;
        while let Some(found) = near[from..].find(|c: char| c.is_ascii_digit()) {
            let at = from + found;
            let hash = usize::from(text[..at].ends_with('#'));
            let opens = hash == 1 || !text[..at].ends_with(is_in_word);
            let number = digits(text, at);
            from = number.end.min(near.len());
            if opens
                && number.len() <= MAX_DIGITS
                && text[..at - hash].chars().count() <= MAX_GAP
                && let Some(count) = count(text, number.end)
            {
                return Some(Self {
                    number: number.slice(text)?.parse().ok()?,
                    count: count.slice(text)?.parse().ok()?,
                    span: Span::new(at - hash, count.end),
                    number_span: number,
                    count_span: count,
                });
            }
        }
        None
    }

    fn shifted(self, by: usize) -> Self {
        Self {
            span: self.span.shifted(by),
            number_span: self.number_span.shifted(by),
            count_span: self.count_span.shifted(by),
            ..self
        }
    }
}

/// The digits that begin at the byte `at`.
fn digits(text: &str, at: usize) -> Span {
    let length = text[at..].bytes().take_while(u8::is_ascii_digit).count();
    Span::new(at, at + length)
}

/// The number behind the word "of" that begins at the byte `at` with blanks.
fn count(text: &str, at: usize) -> Option<Span> {
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let of = at + blanks(&text[at..]);
    let behind = of
        + text
            .get(of..of + 2)
            .filter(|word| word.eq_ignore_ascii_case("of"))?
            .len();
    let count = behind + blanks(&text[behind..]);
    let span = digits(text, count);
    let is_apart = of > at && count > behind && !text[span.end..].starts_with(is_in_word);
    (is_apart && (1..=MAX_DIGITS).contains(&span.len())).then_some(span)
}

fn is_in_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
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
    fn the_number_stands_at_most_so_many_characters_behind_the_word() {
        let text = |gap: usize, mark: &str| format!("Task{}{mark}3 of 7\n", ": ".repeat(gap / 2));
        assert_eq!(ordinal(&text(40, "")).map(|found| found.0), Some(3));
        assert_eq!(ordinal(&text(40, "#")).map(|found| found.0), Some(3));
        assert_eq!(ordinal(&text(42, "")), None);
        let wide = format!("Task {} 3 of 7\n", "\u{e9}".repeat(38));
        assert_eq!(ordinal(&wide).map(|found| found.0), Some(3));
    }

    #[test]
    fn other_numbers_before_it_are_passed_over() {
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
    fn other_numbers_are_none() {
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
