//! S4.

mod family;

use std::collections::HashMap;

use review_document::Span;
use review_document::workspace::{Document, DocumentRole};

use crate::Severity;
use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};
use crate::words::Folded;

use super::unclosed_fence;
use family::Family;

rule! {
    /// Finds a spec without a section that the specs of the project have.
    ///
    /// ## What it does
    /// Compares the headings of a spec with the required sections of the
    /// configuration; what is missing is an error. Where none are configured,
    /// and for plans, the sections are taken from the other documents of the
    /// kind in the same folder of the root: those that at least four in five of
    /// five or more documents have.
    /// Then it is only pointed out, and a document without half of them is
    /// taken for one of another kind. Case, numbers before a heading and its
    /// level do not matter.
    ///
    /// ## Why is this bad
    /// The template of a project lists the questions that each of its specs
    /// answers. A section that is not there is a question that nobody asked.
    ///
    /// ## Example
    /// A spec without `## Error handling`, which all the others have.
    ///
    /// ## Fix
    /// Write the section, or add its heading and say why there is nothing to
    /// say.
    MissingSection {
        code: "S4",
        name: "missing-section",
        criterion: Completeness,
        severity: Error,
        fixes: [Unsafe],
        summary: "A section of the project's template is missing.",
    }
}

/// The most sections that are asked for.
const MAX_SECTIONS: usize = 100;

/// What an added section says until somebody writes it: text, since a section
/// with none would be found empty.
const PROMPT: &str = "_Say what holds here, or `None.` with the reason._";

/// The most characters of a heading in a message.
const MAX_NAME: usize = 120;

impl MissingSection {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
        let mut families: Vec<Family<'_>> = Vec::new();
        for document in facts.markdown() {
            let is_spec = document.role == DocumentRole::Spec;
            if document.outline.is_blank() || !is_spec && document.role != DocumentRole::Plan {
                continue;
            }
            let configured = facts.required_sections.iter().take(MAX_SECTIONS);
            let template = if is_spec && configured.len() > 0 {
                Template {
                    sections: configured.map(String::as_str).collect(),
                    severity: Severity::Error,
                }
            } else {
                let known = families.iter().position(|family| family.is_of(document));
                let at = known.unwrap_or_else(|| {
                    families.push(Family::of(document, &facts.workspace.siblings));
                    families.len() - 1
                });
                Template {
                    sections: families[at].common(document).take(MAX_SECTIONS).collect(),
                    severity: Severity::Info,
                }
            };
            template.hold(document, sink);
        }
    }
}

/// The sections that a document must have.
struct Template<'a> {
    sections: Vec<&'a str>,
    severity: Severity,
}

impl Template<'_> {
    fn hold(&self, document: &Document, sink: &mut Sink) {
        sink.look_at(self.sections.len());
        if self.sections.is_empty() {
            return;
        }
        let headings = document.outline.headings();
        let names = folded(headings.iter().map(|heading| heading.text), headings.len());
        let starts = headings.iter().map(|heading| heading.span.start);
        let places: HashMap<_, _> = names.iter().zip(starts).rev().collect();
        let wanted = folded(self.sections.iter().copied(), self.sections.len());
        let title = headings.first().map(|heading| heading.span);
        let top = title.unwrap_or_else(|| Span::empty(document.body));
        let mut next = document.source.len();
        let mut drafts = Vec::new();
        for (section, folded) in self.sections.iter().zip(wanted.iter()).rev() {
            match places.get(folded) {
                Some(&place) => next = place,
                None => drafts.push((section, next)),
            }
        }
        let is_inferred = self.severity != Severity::Error;
        if is_inferred && drafts.len() * 2 > self.sections.len() {
            return;
        }
        let is_open = !drafts.is_empty() && unclosed_fence::is_open(document);
        for (section, at) in drafts.into_iter().rev() {
            let name = excerpt(section, MAX_NAME);
            let origin = match self.severity {
                Severity::Error => "the configuration requires",
                Severity::Warning | Severity::Info => "most documents of its kind have",
            };
            sink.push(
                document,
                top,
                format!("The section `{name}`, which {origin}, is missing."),
                format!(
                    "Add `## {name}` and write what belongs there, or `None.` with the reason."
                ),
            )
            .severity(self.severity)
            .fix((!is_open).then(|| addition(&document.source, at, &name)));
        }
    }
}

/// Puts a heading and a prompt before the section that follows it, or at the
/// end.
fn addition(source: &str, at: usize, name: &str) -> Fix {
    let before = source.get(..at).unwrap_or_default();
    let gap = match before {
        _ if before.is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n") => "",
        _ if before.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let end = if at < source.len() { "\n" } else { "" };
    let text = format!("{gap}## {name}\n\n{PROMPT}\n{end}");
    Fix::one(Safety::Unsafe, Span::empty(at), text)
}

/// Headings as they are compared: without the numbers before them and marks.
fn folded<'a>(headings: impl IntoIterator<Item = &'a str>, count: usize) -> Folded {
    let mut folded = Folded::of_names(count);
    for heading in headings {
        let bare = heading.trim_start_matches(|c: char| c.is_ascii_digit() || ". )".contains(c));
        let bare = if bare.is_empty() { heading } else { bare };
        folded.push(bare, |c| !c.is_alphanumeric());
    }
    folded
}
