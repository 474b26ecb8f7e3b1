//! Comments that suppress rules.

use review_document::workspace::Document;
use review_document::{LineIndex, Span};
use review_types::excerpt;
use serde::Serialize;

use crate::{Rule, Selector};

/// `<!-- ralph-ignore B4: reason -->`.
const MARK: &str = "ralph-ignore";

/// The maximum number of comments of a file that are examined.
const MAX_PER_FILE: usize = 1000;

/// A suppression comment, or a part of one, that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct InvalidSuppression {
    /// The file, relative to the root.
    pub path: String,
    /// The line of the comment, from 1.
    pub line: usize,
    /// The reason, in one sentence.
    pub message: String,
}

/// The suppressions of a document.
#[derive(Debug)]
pub(crate) struct Suppressions<'a> {
    document: &'a Document,
    comments: Vec<Suppression>,
    /// The invalid suppressions, and the reasons.
    flawed: Vec<(Span, Flaw)>,
}

/// The rules that a comment suppresses, and their scope.
#[derive(Debug)]
struct Suppression {
    rules: Vec<Selector>,
    /// The section of the comment, or the whole file if the comment is before the
    /// second heading.
    scope: Span,
}

/// The reason why a suppression is invalid.
#[derive(Debug)]
enum Flaw {
    /// It gives no reason.
    NoReason,
    /// It names an unknown rule.
    NoRule(String),
}

impl<'a> Suppressions<'a> {
    /// Reads the suppressions of a document. One without a reason is invalid.
    pub(crate) fn of(document: &'a Document) -> Self {
        let mut found = Self {
            document,
            comments: Vec::new(),
            flawed: Vec::new(),
        };
        for comment in document.outline.comments.iter().take(MAX_PER_FILE) {
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
        let mut selectors = Vec::new();
        for word in rules.split(',').map(str::trim) {
            match word.parse() {
                Ok(selector) => selectors.push(selector),
                Err(_) => self.flawed.push((span, Flaw::NoRule(word.to_owned()))),
            }
        }
        self.comments.push(Suppression {
            rules: selectors,
            scope: scope(self.document, span),
        });
    }

    /// Whether a finding of a rule at this byte is suppressed.
    ///
    /// Front matter cannot hold Markdown comments, so a finding there can be suppressed
    /// from anywhere in the file.
    pub(crate) fn suppresses(&self, rule: Rule, at: usize) -> bool {
        let is_in_front_matter = at < self.document.body;
        self.comments.iter().any(|comment| {
            let mut rules = comment.rules.iter();
            (is_in_front_matter || comment.scope.contains(at))
                && rules.any(|selector| selector.contains(rule))
        })
    }

    /// The suppressions that are not valid, by line.
    pub(crate) fn invalid(&self) -> Vec<InvalidSuppression> {
        if self.flawed.is_empty() {
            return Vec::new();
        }
        let lines = LineIndex::new(&self.document.source);
        let invalid = self.flawed.iter().map(|(span, flaw)| InvalidSuppression {
            path: self.document.path.clone(),
            line: lines.position(span.start).line,
            message: match flaw {
                Flaw::NoReason => {
                    "The suppression has no reason; write one after a colon.".to_owned()
                }
                Flaw::NoRule(word) => format!("Unknown rule \"{}\".", excerpt(word, 40)),
            },
        });
        invalid.collect()
    }
}

fn scope(document: &Document, comment: Span) -> Span {
    let first = document.outline.headings.first().map(|first| first.span);
    match document.outline.heading_at(comment.start) {
        Some(heading) if Some(heading.span) != first || heading.level > 1 => heading.section,
        _ => Span::new(0, document.source.len()),
    }
}
