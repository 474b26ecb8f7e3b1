//! S4.

use std::collections::HashMap;

use review_document::Span;
use review_document::workspace::{Document, DocumentRole, section_key};

use crate::Severity;
use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::{Sink, excerpt};

use super::unclosed_fence;

rule! {
    /// Finds a spec without a section that the specs of the project have.
    ///
    /// ## What it does
    /// Compares the headings of a spec with the required sections in the configuration;
    /// a missing section is an error. If none are configured, and for plans, the
    /// sections are inferred from the other documents of the same kind in the same
    /// top-level folder: those that at least four in five of five or more documents
    /// have. Such a finding is informational, and a document without half of the
    /// sections is treated as one of another kind. Case, numbers before a heading and
    /// its level are ignored.
    ///
    /// ## Why is this bad
    /// The template of a project lists the questions that each of its specs answers. A
    /// missing section is an open question.
    ///
    /// ## Example
    /// A spec without `## Error handling`, which all the others have.
    ///
    /// ## Fix
    /// Write the section, or add its heading and the reason why it has no content.
    MissingSection {
        code: "S4",
        name: "missing-section",
        criterion: Completeness,
        severity: Error,
        fixes: [Unsafe],
        summary: "A section of the project's template is missing.",
    }
}

/// The maximum number of required sections.
const MAX_SECTIONS: usize = 100;

/// The content of an added section until a user writes it; a section without text would
/// be reported as empty.
const PROMPT: &str = "_Write this section, or `None.` with the reason._";

/// The maximum length of a heading in a message, in characters.
const MAX_NAME: usize = 120;

impl MissingSection {
    pub(crate) fn check(facts: &Facts<'_>, sink: &mut Sink) {
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
                let mut sections = facts
                    .workspace
                    .siblings
                    .common(document.role, &document.path);
                sections.truncate(MAX_SECTIONS);
                Template {
                    sections,
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
        let places = self.places(document);
        let title = document.outline.headings().first();
        let top = title.map_or(Span::empty(document.body), |heading| heading.span);
        let mut next = document.source.len();
        let mut drafts = Vec::new();
        for (section, place) in self.sections.iter().zip(places).rev() {
            match place {
                Some(place) => next = place,
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
                Severity::Warning | Severity::Info => "most documents of this kind have",
            };
            sink.push(
                document,
                top,
                format!("The section `{name}`, which {origin}, is missing."),
                format!("Add `## {name}` with its content, or with `None.` and the reason."),
            )
            .severity(self.severity)
            .fix((!is_open).then(|| addition(&document.source, at, &name)));
        }
    }

    /// The index of the first heading of each section in a document.
    fn places(&self, document: &Document) -> Vec<Option<usize>> {
        let mut first = HashMap::new();
        for heading in document.outline.headings() {
            let place = first.entry(section_key(&heading.text));
            place.or_insert(heading.span.start);
        }
        let sections = self.sections.iter();
        sections
            .map(|section| first.get(&section_key(section)).copied())
            .collect()
    }
}

/// Inserts a heading and a prompt before the section that follows it, or at the end.
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
