//! R2.

use review_document::Span;
use review_document::workspace::Document;

use crate::facts::{Facts, Form, Requirement};
use crate::rule::rule;
use crate::sink::Sink;
use crate::words::{self, WordClass, WordList, has_number, vague_words};

rule! {
    /// Finds ambiguous words in requirements.
    ///
    /// ## What it does
    /// Searches the requirements of a document, and the list items below headings with
    /// the word "requirements" or "constraints", for words that leave open how many
    /// (`several`), how good (`fast`), how often (`usually`), when (`soon`), whether
    /// (`if needed`), how (`gracefully`), or what else (`etc.`). A number in the
    /// requirement, or after it in its table row, or a definition in brackets after the
    /// word answers the question; so do examples and "based on" where they apply.
    /// Quoted words do not count. Findings are informational.
    ///
    /// ## Why is this bad
    /// No test can decide whether such a requirement is met, and the implementer
    /// decides what its author meant.
    ///
    /// ## Example
    /// `FR-8: Emit appropriate events for each state transition.`
    ///
    /// ## Fix
    /// Write the number, the condition or the list: `FR-8: Emit one event when
    /// a review starts, one when it passes, and one when it is blocked.`
    VagueWord {
        code: "R2",
        name: "vague-word",
        criterion: Testability,
        severity: Info,
        summary: "A word in a requirement is ambiguous.",
    }
}

impl VagueWord {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for requirements in facts.requirements() {
            let document = requirements.document;
            sink.look_at(requirements.list.len());
            for requirement in &requirements.list {
                examine(document, requirement, sink);
            }
        }
    }
}

fn examine(document: &Document, requirement: &Requirement<'_>, sink: &mut Sink) {
    let text = requirement.text.slice(&document.source).unwrap_or_default();
    let mut words = vague_words(text).peekable();
    if words.peek().is_none() {
        return;
    }
    let mut around = Around::of(text);
    around.has_number |=
        requirement.form == Form::Row && has_number(row_after(document, requirement.text));
    for word in words {
        let span = word.span.shifted(requirement.text.start);
        if document.outline.is_prose(span) && !around.answers(&word) {
            report(document, requirement, span, word.class, sink);
        }
    }
}

/// What follows a cell in its row.
fn row_after(document: &Document, cell: Span) -> &str {
    let rest = document.source.get(cell.end..).unwrap_or_default();
    rest.split('\n').next().unwrap_or_default()
}

fn report(
    document: &Document,
    requirement: &Requirement<'_>,
    span: Span,
    class: WordClass,
    sink: &mut Sink,
) {
    let word = span.slice(&document.source).unwrap_or_default();
    let place = requirement
        .id
        .map_or("a requirement".to_owned(), |id| format!("`{}`", id.text));
    sink.push(
        document,
        span,
        format!("`{word}` in {place} {}.", class.problem()),
        format!("Write {} instead of `{word}`.", class.instead()),
    );
}

/// What a requirement contains apart from its vague words.
struct Around<'a> {
    text: &'a str,
    has_number: bool,
    /// The asides in brackets, in order.
    asides: Vec<Span>,
    /// The quotations in double quotes, in order.
    quotations: Vec<Span>,
    /// The start of the last phrase that selects the intended cases.
    selection: Option<usize>,
    /// The start of the last phrase that describes how.
    manner: Option<usize>,
    /// The start of the first phrase that makes a list one of examples.
    example: Option<usize>,
}

/// Phrases after "gracefully" and similar words that describe what happens.
const MANNERS: [&str; 10] = [
    " by ",
    " using ",
    " via ",
    ": ",
    "; ",
    " — ",
    " – ",
    ", and ",
    "degrade to",
    "falling back",
];

/// Phrases before an open list that make it one of examples, or complete it.
const EXAMPLES: [&str; 7] = [
    "such as",
    "e.g.",
    "for example",
    "for instance",
    "all ",
    "every ",
    "any ",
];

impl<'a> Around<'a> {
    fn of(text: &'a str) -> Self {
        let lower = text.to_ascii_lowercase();
        let last_of = |phrases: &[&str]| phrases.iter().filter_map(|one| lower.rfind(one)).max();
        Self {
            text,
            has_number: has_number(text),
            asides: asides(text),
            quotations: quotations(text),
            selection: last_of(WordList::Selection.words()),
            manner: last_of(&MANNERS),
            example: EXAMPLES.iter().filter_map(|one| lower.find(one)).min(),
        }
    }

    /// Whether the requirement answers the question of a word, or only quotes it.
    fn answers(&self, word: &words::VagueWord) -> bool {
        let (start, end) = (word.span.start, word.span.end);
        let behind = |place: Option<usize>| place.is_some_and(|at| at >= end);
        let next = self.asides.partition_point(|aside| aside.end <= start);
        let aside = self.asides.get(next);
        let is_aside = aside.is_some_and(|aside| aside.start < start);
        let has_meaning = self.asides.last().is_some_and(|last| last.start >= end);
        let answered = match word.class {
            WordClass::OpenList => self.example.is_some_and(|at| at < start),
            WordClass::Loophole => is_aside || has_meaning || behind(self.selection),
            WordClass::Manner => is_aside || has_meaning || behind(self.manner),
            WordClass::Quantity => is_aside || has_meaning || !self.counts_something(end),
            WordClass::Frequency => {
                is_aside || has_meaning || behind(self.selection) || self.is_as_usual(word.span)
            }
            WordClass::Quality | WordClass::Time => is_aside || has_meaning,
        };
        answered || (word.class.needs_number() && self.has_number) || self.quotes(word.span)
    }

    /// Whether "normally" ends a clause: "the others are read normally" states how, not
    /// how often.
    fn is_as_usual(&self, span: Span) -> bool {
        let next = self.text[span.end..].trim_start().chars().next();
        let word = span.slice(self.text).unwrap_or_default();
        word.eq_ignore_ascii_case("normally")
            && next.is_none_or(|c| matches!(c, '.' | ',' | ';' | ':' | ')'))
    }

    /// Whether a noun may follow: in "a user who has several, ..." the word refers to
    /// something named before.
    fn counts_something(&self, end: usize) -> bool {
        let next = self.text[end..].trim_start().chars().next();
        next.is_some_and(|c| c.is_lowercase() || matches!(c, '`' | '*' | '_' | '['))
    }

    fn quotes(&self, span: Span) -> bool {
        let is_quote = |c: char| matches!(c, '\'' | '‘' | '’');
        let next = self
            .quotations
            .partition_point(|quoted| quoted.end < span.end);
        let quoted = self.quotations.get(next);
        quoted.is_some_and(|quoted| quoted.start <= span.start)
            || self.text[..span.start].ends_with(is_quote)
                && self.text[span.end..].starts_with(is_quote)
    }
}

/// The maximum length of a quotation; longer ones are rather two inch marks.
const MAX_QUOTATION: usize = 80;

/// What is between the double quotes of a string.
fn quotations(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, mark) in text.match_indices(['"', '“', '”']) {
        let behind = at + mark.len();
        match open.filter(|start| mark != "“" && at - start <= MAX_QUOTATION) {
            Some(start) => {
                found.push(Span::new(start, at));
                open = None;
            }
            None => open = Some(behind),
        }
    }
    found
}

/// What is in brackets; the outermost of nested ones.
fn asides(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(Span::new(start, at + 1));
                }
            }
            _ => {}
        }
    }
    found
}
