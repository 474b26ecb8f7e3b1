//! S2.

mod sentence;
mod todo;
mod words;

use review_document::Span;
use review_document::workspace::Document;
use review_types::excerpt;

use crate::facts::{Facts, is_template};
use crate::rule::rule;
use crate::sink::Sink;

use sentence::{Around, is_left};
use todo::{heads_list_of_tasks, is_bare, is_state};
use words::{Mark, SEARCH};

rule! {
    /// Finds open decisions: TBD, `TODO:`, "to be decided", `[NEEDS CLARIFICATION]`.
    ///
    /// ## What it does
    /// Looks for such markers in text, headings, tables and comments: TBD, TBC, `???`,
    /// TODO, FIXME, XXX, NEEDS CLARIFICATION, "to be decided", "yet to decide" and others. A
    /// marker counts if it replaces an answer: alone, after `is` or a colon, in brackets,
    /// before a unit. Code, quoted markers, sentences about markers, templates, a `TODO`
    /// above a list of tasks and one in a list of states do not count.
    ///
    /// ## Why is this bad
    /// An implementer finds a question that only the author can answer.
    ///
    /// ## Example
    /// `The cache holds TBD entries. Eviction: to be decided.`
    ///
    /// ## Fix
    /// State the decision, or write down who decides it and by when.
    UndecidedText {
        code: "S2",
        name: "undecided-text",
        criterion: Completeness,
        severity: Error,
        summary: "A decision is open: TBD, TODO, to be decided, NEEDS CLARIFICATION.",
    }
}

impl UndecidedText {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let Some(marks) = &*SEARCH else {
            return;
        };
        for document in facts.markdown() {
            sink.look_at(1);
            if is_template(&document.path) {
                continue;
            }
            let source = &document.source;
            for stretch in document.outline.outside_code(source, document.body) {
                let text = stretch.slice(source).unwrap_or_default();
                for found in marks.find_iter(text) {
                    let span = Span::from(found.range()).shifted(stretch.start);
                    examine(document, span, Mark::of(found.as_str()), sink);
                }
            }
            for comment in document.outline.comments.iter() {
                if Mark::opens_comment(&comment.text) {
                    report(document, comment.span, sink);
                }
            }
        }
    }
}

/// Reports a marker in prose that replaces an answer.
fn examine(document: &Document, span: Span, mark: Mark, sink: &mut Sink) {
    let source = &document.source;
    if !document.outline.is_prose(span) {
        return;
    }
    let around = Around::of(source, span.start, span.end);
    let is_task = mark == Mark::Task;
    let is_left = is_left(&around, mark) || is_task && is_bare(document, span);
    let is_listed = || heads_list_of_tasks(&source[span.end..]) || is_state(source, span);
    if is_left && !(is_task && is_listed()) {
        report(document, span, sink);
    }
}

fn report(document: &Document, span: Span, sink: &mut Sink) {
    let mark = excerpt(span.slice(&document.source).unwrap_or_default(), 60);
    sink.push(
        document,
        span,
        format!("`{mark}` leaves a decision open."),
        format!("Replace `{mark}` with the decision, or with who decides it and by when."),
    );
}
