//! S1.

use review_document::Span;
use review_document::markdown::{Heading, inside};
use review_document::workspace::Document;
use review_types::excerpt;

use crate::Severity;
use crate::facts::{Facts, is_template};
use crate::rule::rule;
use crate::sink::Sink;
use crate::words::WordList;

rule! {
    /// Finds a heading without content.
    ///
    /// ## What it does
    /// Reports sections with neither text nor subsections; comments and horizontal
    /// rules do not count. Some headings may have no content: a title, a heading that
    /// is a link, `Unreleased`, a part such as `Phase 2`, text that a line below it
    /// turns into a heading, and more than 80 characters that are not a question. A
    /// comment such as `NOTES:BEGIN` whose end follows further headings makes them part
    /// of the section. Templates are not checked. If the next heading has the same
    /// level and content, it may be a part of the section, and the finding is
    /// informational. A document without any text is an error.
    ///
    /// ## Why is this bad
    /// It is unclear whether there is nothing to say or whether the content was
    /// forgotten.
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
            if outline.is_cut {
                cut(document, sink);
            }
            if is_template(&document.path) {
                continue;
            }
            let headings = &outline.headings;
            for (index, heading) in headings.iter().enumerate() {
                let next = headings.get(index + 1);
                let has_parts = next.is_some_and(|next| next.level > heading.level);
                let is_title = index == 0 && next.is_some();
                if heading.has_content
                    || has_parts
                    || is_title
                    || needs_no_content(document, heading)
                    || opens_block(document, heading.section)
                {
                    continue;
                }
                let text = excerpt(&heading.text, 80);
                let draft = sink.push(
                    document,
                    heading.span,
                    format!("The section `{text}` is empty."),
                    format!("Write the content of `{text}`, write `None.` with the reason, or remove the heading."),
                );
                if next.is_some_and(|next| may_be_part(document, heading, next)) {
                    draft.severity(Severity::Info);
                }
            }
        }
    }
}

/// The maximum length of a heading that is not a statement, in characters.
const MAX_TITLE: usize = 80;

/// Whether the next heading may be a part of an empty section: it has the same level
/// and content, and no prompt is in between.
fn may_be_part(document: &Document, heading: &Heading, next: &Heading) -> bool {
    let between = Span::new(heading.span.start, next.span.start);
    let comments = inside(&document.outline.comments, between, |comment| comment.span);
    let has_prompt = comments
        .first()
        .is_some_and(|comment| comment.span.end <= next.span.start);
    next.level == heading.level && next.has_content && !has_prompt
}

/// Whether a heading numbers a part, such as `Phase 2: Import` or `Wave C`.
fn is_part(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    let part = words.next().unwrap_or_default();
    let count = words.next().unwrap_or_default();
    let is_count = count.len() == 1 || count.chars().all(|c| c.is_ascii_digit());
    WordList::Part.has(part) && !count.is_empty() && is_count
}

/// Whether a comment starts a block in a section without ending it there.
fn opens_block(document: &Document, section: Span) -> bool {
    let comments = inside(&document.outline.comments, section, |comment| comment.span);
    let own = comments
        .iter()
        .take_while(|comment| comment.span.end <= section.end);
    let (mut begun, mut ended) = (false, false);
    for comment in own {
        begun |= comment.text.trim_end().ends_with("BEGIN");
        ended |= comment.text.trim_end().ends_with("END");
    }
    begun && !ended
}

/// Whether a heading needs no content: it is a link, text above a horizontal rule, a
/// statement, the name of a part, or reserved for the next release.
fn needs_no_content(document: &Document, heading: &Heading) -> bool {
    let name = heading.text.trim_matches(['[', ']']);
    let links = inside(&document.outline.links, heading.span, |link| link.span);
    let is_link = links
        .first()
        .is_some_and(|link| link.span.end <= heading.span.end);
    let source = heading.span.slice(&document.source).unwrap_or_default();
    let is_text_above_a_rule = !source.starts_with('#') && source.trim_end().lines().count() > 2;
    let is_statement = name.chars().count() > MAX_TITLE && !name.ends_with('?');
    is_link
        || is_part(name)
        || is_statement
        || is_text_above_a_rule
        || name.eq_ignore_ascii_case("unreleased")
}

fn blank(document: &Document, sink: &mut Sink) {
    sink.push(
        document,
        Span::empty(document.body.min(document.source.len())),
        "The document is empty.".to_owned(),
        "Write a heading and the content of the document.".to_owned(),
    )
    .severity(Severity::Error);
}

/// A pass must not cover content that was not read.
fn cut(document: &Document, sink: &mut Sink) {
    sink.push(
        document,
        Span::empty(document.body),
        "The document exceeds the limit of 8 MiB, and the rest was not read.".to_owned(),
        "Split the document.".to_owned(),
    )
    .severity(Severity::Error);
}
