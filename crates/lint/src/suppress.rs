//! Comments that switch rules off for a place.

use review_document::Span;
use review_document::workspace::Document;

use crate::{Finding, Rule, Selector};

/// `<!-- ralph-ignore B4: reason -->`.
const MARK: &str = "ralph-ignore";

/// The most comments of a file that are looked at.
const MAX_PER_FILE: usize = 1000;

/// The rules that a comment switches off, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suppression {
    rules: Vec<Rule>,
    /// The section of the comment; the whole file before the second heading.
    scope: Span,
}

impl Suppression {
    /// Whether it silences a finding of its document.
    ///
    /// Front matter holds no comments of Markdown, so a finding there is
    /// silenced from anywhere in its file.
    fn covers(&self, finding: &Finding, body: usize) -> bool {
        self.rules.contains(&finding.rule)
            && (finding.span.start < body || self.scope.contains(finding.span.start))
    }
}

/// The suppressions of a document. One without a reason does not count.
pub(crate) fn suppressions(document: &Document) -> Vec<Suppression> {
    let comments = document.outline.comments().iter().take(MAX_PER_FILE);
    comments
        .filter_map(|comment| {
            let (rules, reason) = comment.text.strip_prefix(MARK)?.split_once(':')?;
            let rules: Vec<Rule> = rules
                .split(',')
                .filter_map(|word| word.trim().parse::<Selector>().ok())
                .flat_map(Selector::rules)
                .collect();
            let counts = !rules.is_empty() && !reason.trim().is_empty();
            counts.then(|| Suppression {
                rules,
                scope: scope(document, comment.span),
            })
        })
        .collect()
}

fn scope(document: &Document, comment: Span) -> Span {
    let headings = document.outline.headings();
    match document.outline.heading_at(comment.start) {
        Some(heading) if heading.span != headings[0].span || heading.level > 1 => heading.section,
        _ => Span::new(0, document.source.len()),
    }
}

/// Splits findings of a document into those that stand and those that are
/// silenced.
pub(crate) fn is_silenced(finding: &Finding, found: &[Suppression], body: usize) -> bool {
    found
        .iter()
        .any(|suppression| suppression.covers(finding, body))
}
