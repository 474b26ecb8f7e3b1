//! Dependencies on other tasks in the content of a task.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};
use review_document::Span;
use review_document::markdown::Outline;
use review_document::workspace::Document;
use review_types::TaskNumber;

use crate::words::{WordList, beginning, contains};

/// `Task #3 must be complete`, optionally with the task before which it must be.
const MUST_BE: &str = r"\btask\s+#?[0-9]{1,9}\s+(?:must|has to|needs to)\s+be\s+(?:complete|completed|done|finished|implemented|merged)\b(?:\s+before\s+task\s+#?[0-9]{1,9}\b)?";

/// Lists of tasks: `Task #3`, `#3, #4 and #5`, `Tasks 3 and 4`.
const TASKS: &str = r"(?:tasks\s+#?[0-9]{1,9}(?:\s*(?:,\s*and\b|,|and\b|&)\s*(?:tasks?\s+)?#?[0-9]{1,9})*|(?:task\s+#?|#)[0-9]{1,9}(?:\s*(?:,\s*and\b|,|and\b|&)\s*(?:task\s+)?#[0-9]{1,9})*)\b";

/// Words at the start of a sentence that a list of dependencies follows.
const WAITS: &str = r"\b(?:depends on|requires|waits for|is blocked by|blocked by)[*_:]*\s+";

/// What follows a task that an item lists, as opposed to the verb of a sentence about
/// it.
const AFTER_ITEM: &str =
    r#"^\s*(?:$|[(:;,.\-—–\["`*\p{Lu}]|(?:must|has to|have to|needs? to|provides?|first)\b)"#;

/// The maximum number of characters of a sentence that are read after its tasks.
const MAX_SENTENCE: usize = 500;

pub(super) static MENTIONS: LazyLock<Option<Mentions>> = LazyLock::new(|| {
    Some(Mentions {
        must_be: words(MUST_BE)?,
        waits: words(&format!("{WAITS}{TASKS}"))?,
        item: words(&format!("^{TASKS}"))?,
        behind_item: Regex::new(AFTER_ITEM).ok()?,
    })
});

/// Finds the dependencies that a string states.
pub(super) struct Mentions {
    must_be: Regex,
    waits: Regex,
    item: Regex,
    behind_item: Regex,
}

impl Mentions {
    /// The tasks that come before `own`, and their spans.
    pub(super) fn of(&self, document: &Document, own: TaskNumber) -> Vec<(TaskNumber, Span)> {
        let mut found = Vec::new();
        for paragraph in &document.outline.paragraphs {
            let text = paragraph.span.slice(&document.source).unwrap_or_default();
            if !text.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let mut tasks = self.completed(text, own);
            tasks.extend(self.awaited(text));
            if paragraph.opens_item {
                tasks.extend(self.listed(text, document, paragraph.span));
            }
            if tasks.is_empty() || is_out_of_scope(&document.outline, paragraph.span) {
                continue;
            }
            let start = paragraph.span.start;
            let tasks = tasks.into_iter();
            found.extend(tasks.map(|(first, span)| (first, span.shifted(start))));
        }
        found.sort_by_key(|(_, span)| span.start);
        found
    }

    /// The tasks that must be complete, as sentences of a paragraph state.
    fn completed(&self, text: &str, own: TaskNumber) -> Vec<(TaskNumber, Span)> {
        let named = self.must_be.find_iter(text).filter_map(|sentence| {
            let mut tasks = numbers(sentence.as_str());
            let first = tasks.next()??;
            let is_own = tasks.next().flatten().is_none_or(|later| later == own);
            let next = text[sentence.end()..].split_whitespace().next();
            let next = next.unwrap_or_default().trim_end_matches(['.', ',', ';']);
            (is_own
                && !WordList::Apart.words().contains(&next)
                && !is_foreign(&text[..sentence.start()]))
            .then(|| (first, Span::from(sentence.range())))
        });
        named.collect()
    }

    /// The tasks after "Depends on" at the start of a sentence.
    fn awaited(&self, text: &str) -> Vec<(TaskNumber, Span)> {
        let sentences = self.waits.find_iter(text).filter(|sentence| {
            let behind = beginning(&text[sentence.end()..], MAX_SENTENCE);
            opens_sentence(&text[..sentence.start()])
                && !belongs_elsewhere(behind)
                && !denies(rest_of_sentence(behind))
        });
        let named = sentences.flat_map(|sentence| {
            let span = Span::from(sentence.range());
            let tasks = numbers(sentence.as_str()).flatten();
            tasks.map(move |first| (first, span))
        });
        named.collect()
    }

    /// The tasks at the start of an item in a list of dependencies.
    fn listed(&self, text: &str, document: &Document, place: Span) -> Vec<(TaskNumber, Span)> {
        let line = text.find(['\n', '\r']).unwrap_or(text.len());
        let item = self.item.find(&text[..line]).filter(|item| {
            self.behind_item.is_match(&text[item.end()..])
                && lists_dependencies(&document.outline, place)
                && !denies(text)
        });
        let tasks = item.map_or("", |item| item.as_str());
        let tasks = numbers(tasks).flatten();
        tasks.map(|first| (first, Span::new(0, line))).collect()
    }
}

/// Whether the words of an item deny the dependency.
fn denies(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WordList::Otherwise
        .words()
        .iter()
        .any(|words| text.contains(words))
}

/// The numbers in a string, with `None` for one that no task can have.
fn numbers(text: &str) -> impl Iterator<Item = Option<TaskNumber>> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    let digits = digits.filter(|digits| !digits.is_empty());
    digits.map(|digits| TaskNumber::new(digits.parse().ok()?))
}

/// Whether a string ends with some ASCII words, ignoring case.
fn ends_with(text: &str, words: &str) -> bool {
    let start = text.len().checked_sub(words.len());
    let end = start.and_then(|start| text.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(words))
}

/// Whether a sentence about the task itself starts after `before`.
fn opens_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '*', '_']);
    let subject = ["this task", "this", "it"]
        .iter()
        .find(|subject| ends_with(before, subject))
        .map_or(0, |subject| subject.len());
    let before = before[..before.len() - subject].trim_end_matches([' ', '*', '_']);
    before.is_empty() || before.ends_with(['.', ':', ';', '\n', '!', '?', '\r'])
}

/// The input up to its first full stop or line break.
fn rest_of_sentence(text: &str) -> &str {
    text.split(['.', '\n']).next().unwrap_or_default()
}

/// Whether the words after a task number assign it to another unit.
fn belongs_elsewhere(behind: &str) -> bool {
    let next = behind.split_whitespace().next().unwrap_or_default();
    ["of", "in", "from"].contains(&next)
}

/// Whether a span is below a heading about what is out of scope.
fn is_out_of_scope(outline: &Outline, span: Span) -> bool {
    outline.is_below(span.start, |heading| {
        ["not in scope", "out of scope", "non-goals", "future work"]
            .iter()
            .any(|outside| contains(&heading.text, outside))
    })
}

/// Whether the words before a task number assign it to another unit.
fn is_foreign(before: &str) -> bool {
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let ends = word.ends_with(['.', ',', ':', ';', '(', '-', '*', '_', '[']);
    let plain = word.chars().all(char::is_lowercase) || ["The", "That", "If"].contains(&word);
    !ends && !plain
}

/// Whether a span is below a heading about the unit's own dependencies.
fn lists_dependencies(outline: &Outline, span: Span) -> bool {
    outline.heading_at(span.start).is_some_and(|heading| {
        let says = |words| contains(&heading.text, words);
        (says("dependencies") || says("depends on")) && !says("external")
    })
}

/// Compiles ASCII words, ignoring case, with any blanks between them. Matching the
/// letters of all scripts would make the expression many times larger.
fn words(expression: &str) -> Option<Regex> {
    let mut search = RegexBuilder::new(&expression.replace(r"\s", r"(?u:\s)"));
    search.case_insensitive(true).unicode(false).build().ok()
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    #[test]
    fn an_invalid_task_number_keeps_its_position() {
        let mentions = MENTIONS.as_ref().unwrap();
        let own = TaskNumber::new(3).unwrap();
        let found = |text: &str| {
            let document = Document::parse("t.md", DocumentRole::Task, text);
            let found = mentions.of(&document, own).into_iter();
            found.map(|(task, _)| task.get()).collect::<Vec<_>>()
        };
        assert_eq!(found("Task #0 must be done before task #2."), [0; 0]);
        assert_eq!(found("Task #1 must be done before task #2."), [0; 0]);
        assert_eq!(found("Task #1 must be done before task #3."), [1]);
        assert_eq!(found("Depends on tasks 1, 0 and 2."), [1, 2]);
    }

    #[test]
    fn a_limited_number_of_characters_after_a_task_is_read() {
        let mentions = MENTIONS.as_ref().unwrap();
        let found = |gap: usize| {
            let text = format!("Depends on #1{}optional.", " ".repeat(gap));
            let document = Document::parse("t.md", DocumentRole::Task, text);
            mentions.of(&document, TaskNumber::new(3).unwrap()).len()
        };
        let last = MAX_SENTENCE - "optional".len();
        assert_eq!((found(last), found(last + 1)), (0, 1));
    }
}
