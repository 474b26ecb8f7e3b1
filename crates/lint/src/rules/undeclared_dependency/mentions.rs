//! The tasks that the text of another says come before it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::{memchr_iter, memmem};
use regex::{Regex, RegexBuilder};
use review_document::Span;
use review_document::markdown::{Outline, Paragraph};
use review_document::workspace::Document;
use review_types::TaskNumber;

use crate::words::{beginning, begins, contains};

/// `Task #3 must be complete`, and the task before which it must be.
const MUST_BE: &str = r"\btask\s+#?[0-9]{1,9}\s+(?:must|has to|needs to)\s+be\s+(?:complete|completed|done|finished|implemented|merged)\b(?:\s+before\s+task\s+#?[0-9]{1,9}\b)?";

/// Tasks that are listed: `Task #3`, `#3, #4 and #5`, `Tasks 3 and 4`.
const TASKS: &str = r"(?:tasks\s+#?[0-9]{1,9}(?:\s*(?:,\s*and\b|,|and\b|&)\s*(?:tasks?\s+)?#?[0-9]{1,9})*|(?:task\s+#?|#)[0-9]{1,9}(?:\s*(?:,\s*and\b|,|and\b|&)\s*(?:task\s+)?#[0-9]{1,9})*)\b";

/// Words at the beginning of a sentence behind which a task waits for others.
const WAITS: &str = r"\b(?:depends on|requires|waits for|is blocked by|blocked by)[*_:]*\s+";

/// What stands behind a task that an item lists, rather than the verb of a
/// sentence about it.
const BEHIND_ITEM: &str =
    r#"^\s*(?:$|[(:;,.\-—–\["`*\p{Lu}]|(?:must|has to|have to|needs? to|provides?|first)\b)"#;

/// Words of an item that say something else than that the task waits.
const OTHERWISE: [&str; 17] = [
    "parallel",
    "optional",
    "independent",
    "not required",
    "no dependency",
    "no longer",
    "depends on this",
    "blocked by this",
    "calls th",
    "uses th",
    "needs th",
    "waits for th",
    "after th",
    "afterwards",
    "runs later",
    "done later",
    "follows th",
];

/// Words behind "must be done" that take the order away again.
const APART: [&str; 6] = [
    "separately",
    "independently",
    "later",
    "afterwards",
    "after",
    "elsewhere",
];

/// So many characters of a sentence are read behind the tasks that it names.
const MAX_SENTENCE: usize = 500;

pub(super) static MENTIONS: LazyLock<Option<Mentions>> = LazyLock::new(|| {
    Some(Mentions {
        otherwise: any_of(&OTHERWISE)?,
        must_be: words(MUST_BE)?,
        waits: words(&format!("{WAITS}{TASKS}"))?,
        item: words(&format!("^{TASKS}"))?,
        behind_item: Regex::new(BEHIND_ITEM).ok()?,
    })
});

/// Finds the tasks that a text says come before.
pub(super) struct Mentions {
    otherwise: AhoCorasick,
    must_be: Regex,
    waits: Regex,
    item: Regex,
    behind_item: Regex,
}

impl Mentions {
    /// The tasks that come before `own`, and where the text says so.
    pub(super) fn of(&self, document: &Document, own: TaskNumber) -> Vec<(TaskNumber, Span)> {
        let mut found = Vec::new();
        for naming in naming_tasks(document) {
            let paragraph = naming.paragraph;
            let text = paragraph.span.slice(&document.source).unwrap_or_default();
            let mut tasks = Vec::new();
            if naming.must_be {
                tasks.extend(self.completed(text, own));
            }
            if naming.waits {
                tasks.extend(self.awaited(text));
            }
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

    /// The tasks that must be complete, as sentences of a paragraph say.
    fn completed(&self, text: &str, own: TaskNumber) -> Vec<(TaskNumber, Span)> {
        let named = self.must_be.find_iter(text).filter_map(|sentence| {
            let mut tasks = numbers(sentence.as_str());
            let first = tasks.next()??;
            let is_own = tasks.next().flatten().is_none_or(|later| later == own);
            let next = text[sentence.end()..].split_whitespace().next();
            let next = next.unwrap_or_default().trim_end_matches(['.', ',', ';']);
            (is_own && !APART.contains(&next) && !is_foreign(&text[..sentence.start()]))
                .then(|| (first, Span::from(sentence.range())))
        });
        named.collect()
    }

    /// The tasks behind "Depends on" at the beginning of a sentence.
    fn awaited(&self, text: &str) -> Vec<(TaskNumber, Span)> {
        let sentences = self.waits.find_iter(text).filter(|sentence| {
            let behind = beginning(&text[sentence.end()..], MAX_SENTENCE);
            opens_sentence(&text[..sentence.start()])
                && !belongs_elsewhere(behind)
                && !self.otherwise.is_match(rest_of_sentence(behind))
        });
        let named = sentences.flat_map(|sentence| {
            let span = Span::from(sentence.range());
            let tasks = numbers(sentence.as_str()).flatten();
            tasks.map(move |first| (first, span))
        });
        named.collect()
    }

    /// The tasks that an item of a list of dependencies begins with.
    fn listed(&self, text: &str, document: &Document, place: Span) -> Vec<(TaskNumber, Span)> {
        if !text.starts_with(['t', 'T', '#']) {
            return Vec::new();
        }
        let line = text.find(['\n', '\r']).unwrap_or(text.len());
        let item = self.item.find(&text[..line]).filter(|item| {
            self.behind_item.is_match(&text[item.end()..])
                && lists_dependencies(&document.outline, place)
                && !self.otherwise.is_match(text)
        });
        let tasks = item.map_or("", |item| item.as_str());
        let tasks = numbers(tasks).flatten();
        tasks.map(|first| (first, Span::new(0, line))).collect()
    }
}

/// A paragraph in which a number stands behind `#` or the word "task", as in
/// whatever the expressions find; most hold none and are spared them.
struct Naming<'a> {
    paragraph: &'a Paragraph,
    /// Whether a word of [`MUST_BE`] stands behind such a number.
    must_be: bool,
    /// Whether words of [`WAITS`] stand before one.
    waits: bool,
}

/// The paragraphs that name tasks, in order.
fn naming_tasks(document: &Document) -> Vec<Naming<'_>> {
    let (outline, source) = (&document.outline, &document.source);
    let paragraphs = outline.paragraphs();
    let task_ends = ["ask", "ASK"].map(memmem::Finder::new);
    let mut found = Vec::new();
    for stretch in outline.outside_code(source, document.body) {
        let text = stretch.slice(source).unwrap_or_default();
        let marks = memchr_iter(b'#', text.as_bytes()).map(|at| at + 1);
        let marks = marks.filter(|&behind| starts_with_digit(&text[behind..]));
        let words = task_ends.iter().flat_map(|end| {
            let ends = end.find_iter(text.as_bytes());
            ends.map(|at| at + end.needle().len())
        });
        let words = words.filter(|&behind| is_numbered_task(text, behind));
        for behind in marks.chain(words) {
            let at = stretch.start + behind;
            let next = paragraphs.partition_point(|paragraph| paragraph.span.end < at);
            let paragraph = paragraphs.get(next).filter(|next| next.span.start < at);
            found.extend(paragraph.map(|paragraph| Naming {
                paragraph,
                must_be: must_be(&text[behind..]),
                waits: waits(&text[..behind]),
            }));
        }
    }
    found.sort_unstable_by_key(|naming| naming.paragraph.span);
    found.dedup_by(|next, kept| {
        let is_same = next.paragraph.span == kept.paragraph.span;
        kept.must_be |= is_same && next.must_be;
        kept.waits |= is_same && next.waits;
        is_same
    });
    found
}

/// Whether what stands behind `#` or "task" is a number and "must" or the like.
fn must_be(behind: &str) -> bool {
    let number = behind.trim_start_matches(['s', 'S']).trim_start();
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start();
    ["must", "has to", "needs to"]
        .iter()
        .any(|words| begins(rest, words))
}

/// Whether what ends with `#` or "task" says before it that a task waits.
fn waits(before: &str) -> bool {
    let before = before.strip_suffix('#').unwrap_or(before).trim_end();
    let single = before.strip_suffix(['s', 'S']).unwrap_or(before);
    let word = single.as_bytes().last_chunk().is_some_and(is_task);
    let before = if word {
        &single[..single.len() - "task".len()]
    } else {
        before
    };
    let before = before.trim_end().trim_end_matches(['*', '_', ':']);
    ["depends on", "requires", "waits for", "blocked by"]
        .iter()
        .any(|words| ends_with(before, words))
}

/// Whether the word that ends at `behind` is "task", and a number follows.
fn is_numbered_task(text: &str, behind: usize) -> bool {
    let word = text.as_bytes()[..behind].last_chunk();
    let rest = &text[behind..];
    let plural = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
    word.is_some_and(is_task) && {
        let number = plural.trim_start();
        number.len() < plural.len() && starts_with_digit(number)
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_task(word: &[u8; 4]) -> bool {
    word.eq_ignore_ascii_case(b"task")
}

/// The numbers in a text, `None` for one that no task can have.
fn numbers(text: &str) -> impl Iterator<Item = Option<TaskNumber>> {
    let digits = text.split(|c: char| !c.is_ascii_digit());
    let digits = digits.filter(|digits| !digits.is_empty());
    digits.map(|digits| TaskNumber::new(digits.parse().ok()?))
}

/// Whether a text ends with some ASCII words, in whatever case.
fn ends_with(text: &str, words: &str) -> bool {
    let start = text.len().checked_sub(words.len());
    let end = start.and_then(|start| text.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(words))
}

/// Whether a sentence about the task itself begins behind `before`.
fn opens_sentence(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '*', '_']);
    let subject = ["this task", "this", "it"]
        .iter()
        .find(|subject| ends_with(before, subject))
        .map_or(0, |subject| subject.len());
    let before = before[..before.len() - subject].trim_end_matches([' ', '*', '_']);
    before.is_empty() || before.ends_with(['.', ':', ';', '\n', '!', '?', '\r'])
}

/// A text up to its first full stop or line break.
fn rest_of_sentence(text: &str) -> &str {
    text.split(['.', '\n']).next().unwrap_or_default()
}

/// Whether the words behind a task's number give it to another unit.
fn belongs_elsewhere(behind: &str) -> bool {
    let next = behind.split_whitespace().next().unwrap_or_default();
    ["of", "in", "from"].contains(&next)
}

/// Whether a place is below a heading of what is left to others.
fn is_out_of_scope(outline: &Outline, span: Span) -> bool {
    outline.is_below(span.start, |heading| {
        ["not in scope", "out of scope", "non-goals", "future work"]
            .iter()
            .any(|outside| contains(&heading.text, outside))
    })
}

/// Whether the words before a task's number give it to another unit.
fn is_foreign(before: &str) -> bool {
    let word = before.split_whitespace().next_back().unwrap_or_default();
    let ends = word.ends_with(['.', ',', ':', ';', '(', '-', '*', '_', '[']);
    let plain = word.chars().all(char::is_lowercase) || ["The", "That", "If"].contains(&word);
    !ends && !plain
}

/// Whether a place is listed under a heading of the unit's own dependencies.
fn lists_dependencies(outline: &Outline, span: Span) -> bool {
    outline.heading_at(span.start).is_some_and(|heading| {
        let says = |words| contains(&heading.text, words);
        (says("dependencies") || says("depends on")) && !says("external")
    })
}

/// Looks for ASCII words in any case, with blanks of any kind between them.
/// Letters of all scripts would make the expression many times as large.
fn words(expression: &str) -> Option<Regex> {
    let mut search = RegexBuilder::new(&expression.replace(r"\s", r"(?u:\s)"));
    search.case_insensitive(true).unicode(false).build().ok()
}

/// Looks for words in any case.
fn any_of(words: &[&str]) -> Option<AhoCorasick> {
    let mut search = AhoCorasick::builder();
    search.ascii_case_insensitive(true).build(words).ok()
}

#[cfg(test)]
mod tests {
    use review_document::workspace::DocumentRole;

    use super::*;

    #[test]
    fn a_number_behind_a_mark_or_the_word_names_a_task() {
        let named = |text: &str| {
            let document = Document::parse("t.md", DocumentRole::Task, text);
            naming_tasks(&document).len()
        };
        for text in [
            "#3",
            "see Task 3",
            "TASKS \u{a0}12",
            "a 1, task\n2",
            "task 3",
            "Tasks 3",
            "#3 and #4",
        ] {
            assert_eq!(named(text), 1, "{text}");
        }
        for text in [
            "3",
            "task3",
            "tasks3",
            "at 3",
            "asks 3",
            "task # 3",
            "task",
            "tasks  a 1",
            "a # 1",
            "\u{e9}sk 3",
            "```\n#3\n```\n",
            "# Task 3\n",
        ] {
            assert_eq!(named(text), 0, "{text}");
        }
        assert_eq!(named("#3\n\n```\n#4\n```\n\na\n\n- #5\n- b\n"), 2);
    }

    #[test]
    fn only_a_paragraph_with_words_beside_a_number_is_searched() {
        let hints = |text: &str| {
            let document = Document::parse("t.md", DocumentRole::Task, text);
            let naming = naming_tasks(&document);
            let hints = naming.iter().map(|naming| (naming.must_be, naming.waits));
            hints.collect::<Vec<_>>()
        };
        for text in [
            "Task 3 must be done",
            "task #3 HAS TO",
            "#3\n needs to",
            "see #4; tasks  3 must",
        ] {
            assert_eq!(hints(text), [(true, false)], "{text}");
        }
        for text in [
            "Depends on #3",
            "**Requires**: Task 3",
            "it waits for\ntasks #3",
            "blocked by TASK 3",
            "a #2, and depends on: tasks 3",
        ] {
            assert_eq!(hints(text), [(false, true)], "{text}");
        }
        for text in [
            "must #3",
            "#3 depends on",
            "#3 a must",
            "requires a #3",
            "#3 mus",
            "blocked by __Task 3",
        ] {
            assert_eq!(hints(text), [(false, false)], "{text}");
        }
        let both = "#3 must be done. Depends on #4\n\nrequires #5\n";
        assert_eq!(hints(both), [(true, true), (false, true)]);
    }

    #[test]
    fn a_number_that_no_task_has_keeps_its_place() {
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
    fn so_many_characters_behind_a_task_are_read() {
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
