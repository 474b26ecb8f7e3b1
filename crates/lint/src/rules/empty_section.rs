//! S1.

use review_document::Span;
use review_document::markdown::Heading;
use review_document::workspace::Document;

use crate::Severity;
use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

rule! {
    /// Finds a heading with nothing below it.
    ///
    /// ## What it does
    /// Looks for sections that hold neither text nor a section of their own;
    /// comments and rules do not count. A title, a heading that is a link and
    /// `Unreleased` may stand alone. A document without any text is an error.
    ///
    /// ## Why is this bad
    /// A heading promises something. Nobody can tell whether there is nothing
    /// to say or whether somebody forgot to say it.
    ///
    /// ## Example
    /// `## Error handling`, followed by `## Limits`.
    ///
    /// ## Fix
    /// Write the section, write `None.` with the reason, or remove the heading.
    EmptySection {
        code: "S1",
        name: "empty-section",
        criterion: Completeness,
        severity: Warning,
        summary: "A section is empty.",
    }
}

impl EmptySection {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        for document in facts.markdown() {
            sink.look_at(1);
            let outline = &document.outline;
            if outline.is_blank() && document.invalid_at.is_none() {
                blank(document, sink);
            }
            if outline.is_cut() {
                cut(document, sink);
            }
            let headings = outline.headings();
            for (index, heading) in headings.iter().enumerate() {
                let next = headings.get(index + 1);
                let has_parts = next.is_some_and(|next| next.level > heading.level);
                let is_title = index == 0 && next.is_some();
                if heading.has_content
                    || has_parts
                    || is_title
                    || speaks_for_itself(document, heading)
                {
                    continue;
                }
                let text = excerpt(&heading.text, 80);
                sink.push(
                    document,
                    heading.span,
                    format!("The section `{text}` is empty."),
                    format!("Write what belongs under `{text}`, write `None.` with the reason, or remove the heading."),
                );
            }
        }
    }
}

/// Whether a heading is a link, or stands ready for the next release.
fn speaks_for_itself(document: &Document, heading: &Heading) -> bool {
    let name = heading.text.trim_matches(['[', ']']);
    let links = document.outline.links();
    let next = links.partition_point(|link| link.span.start < heading.span.start);
    let is_link = links
        .get(next)
        .is_some_and(|link| link.span.end <= heading.span.end);
    is_link || name.eq_ignore_ascii_case("unreleased")
}

fn blank(document: &Document, sink: &mut Sink) {
    sink.push(
        document,
        Span::empty(document.body.min(document.source.len())),
        "The document holds no text.".to_owned(),
        "Write a heading and what the document is to say.".to_owned(),
    )
    .severity(Severity::Error);
}

/// A pass must not cover what was not read.
fn cut(document: &Document, sink: &mut Sink) {
    sink.push(
        document,
        Span::empty(document.body),
        "The document is too long: it was read to its eighth mebibyte only.".to_owned(),
        "Split the document.".to_owned(),
    )
    .severity(Severity::Error);
}
