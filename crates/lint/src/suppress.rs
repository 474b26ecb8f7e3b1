//! Comments that switch rules off for a place.

use std::collections::BTreeSet;

use review_document::workspace::Document;
use review_document::{LineIndex, Span};
use serde::Serialize;

use crate::{Rule, Selector, Settings};

/// `<!-- ralph-ignore B4: reason -->`.
const MARK: &str = "ralph-ignore";

/// The most comments of a file that are looked at.
const MAX_PER_FILE: usize = 1000;

/// A comment, or a part of one, that is meant to switch rules off and does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdleSuppression {
    /// The file, relative to the root.
    pub path: String,
    /// The line of the comment, from 1.
    pub line: usize,
    /// Why it does nothing, in one sentence.
    pub message: String,
}

/// The suppressions of a document, which know what they have silenced.
#[derive(Debug)]
pub(crate) struct Suppressions<'a> {
    document: &'a Document,
    comments: Vec<Suppression>,
    /// The comments that are no suppressions, and why.
    flawed: Vec<(Span, Flaw)>,
}

/// The rules that a comment switches off, and where.
#[derive(Debug)]
struct Suppression {
    span: Span,
    words: Vec<Word>,
    /// The section of the comment; the whole file before the second heading.
    scope: Span,
}

/// What names rules in a comment.
#[derive(Debug)]
struct Word {
    selector: Selector,
    used: bool,
}

/// Why a comment with the mark is no suppression.
#[derive(Debug)]
enum Flaw {
    /// It gives no reason.
    NoReason,
    /// It names no rule in this place.
    NoRule(String),
}

impl<'a> Suppressions<'a> {
    /// The suppressions of a document. One without a reason does not count.
    pub(crate) fn of(document: &'a Document) -> Self {
        let mut found = Self {
            document,
            comments: Vec::new(),
            flawed: Vec::new(),
        };
        for comment in document.outline.comments().iter().take(MAX_PER_FILE) {
            if let Some(text) = comment.text.strip_prefix(MARK) {
                found.read(text, comment.span);
            }
        }
        found
    }

    fn read(&mut self, text: &str, span: Span) {
        let (rules, reason) = text.split_once(':').unwrap_or((text, ""));
        if reason.trim().is_empty() {
            self.flawed.push((span, Flaw::NoReason));
            return;
        }
        let mut words = Vec::new();
        for word in rules.split(',').map(str::trim) {
            match word.parse() {
                Ok(selector) => words.push(Word {
                    selector,
                    used: false,
                }),
                Err(_) => self.flawed.push((span, Flaw::NoRule(word.to_owned()))),
            }
        }
        self.comments.push(Suppression {
            span,
            words,
            scope: scope(self.document, span),
        });
    }

    /// Whether what a rule finds at a byte of the document is silenced; what
    /// silences it is then known to be of use.
    ///
    /// Front matter holds no comments of Markdown, so a finding there is
    /// silenced from anywhere in its file.
    pub(crate) fn silence(&mut self, rule: Rule, at: usize) -> bool {
        let mut silenced = false;
        let is_in_front_matter = at < self.document.body;
        for comment in &mut self.comments {
            if is_in_front_matter || comment.scope.contains(at) {
                let words = comment.words.iter_mut();
                for word in words.filter(|word| word.selector.contains(rule)) {
                    word.used = true;
                    silenced = true;
                }
            }
        }
        silenced
    }

    /// What has silenced nothing, though the rules that it names are on.
    pub(crate) fn idle(&self, settings: &Settings) -> Vec<IdleSuppression> {
        let is_on = |rule: Rule| settings.selects(rule);
        let is_idle = |word: &&Word| !word.used && word.selector.rules().any(is_on);
        let unused = self.comments.iter().flat_map(|comment| {
            let words = comment.words.iter().filter(is_idle);
            words.map(|word| {
                (
                    comment.span,
                    format!("No finding of {} is here to be suppressed.", word.selector),
                )
            })
        });
        let flawed = self.flawed.iter().map(|(span, flaw)| {
            let message = match flaw {
                Flaw::NoReason => {
                    "A suppression counts only with a reason behind a colon.".to_owned()
                }
                Flaw::NoRule(word) => {
                    format!("No rule is named \"{}\".", crate::sink::excerpt(word, 40))
                }
            };
            (*span, message)
        });
        let idle: Vec<_> = unused.chain(flawed).collect();
        if idle.is_empty() {
            return Vec::new();
        }
        let lines = LineIndex::new(&self.document.source);
        let idle = idle.into_iter().map(|(span, message)| IdleSuppression {
            path: self.document.path.clone(),
            line: lines.position(span.start).line,
            message,
        });
        idle.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

fn scope(document: &Document, comment: Span) -> Span {
    let first = document.outline.headings().first().map(|first| first.span);
    match document.outline.heading_at(comment.start) {
        Some(heading) if Some(heading.span) != first || heading.level > 1 => heading.section,
        _ => Span::new(0, document.source.len()),
    }
}
