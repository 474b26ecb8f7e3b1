//! S4.

use std::collections::HashMap;

use review_document::Span;
use review_document::workspace::{Document, DocumentRole};
use review_types::excerpt;

use crate::facts::Facts;
use crate::finding::{Fix, Safety};
use crate::rule::rule;
use crate::sink::Sink;

use super::unclosed_fence;

rule! {
    /// Finds a spec without a section that the configuration requires.
    ///
    /// ## What it does
    /// Compares the headings of a spec with `lint.required_sections` in the
    /// configuration. Case, numbers before a heading and its level are ignored.
    ///
    /// ## Why is this bad
    /// The template of a project lists the questions that each of its specs answers. A
    /// missing section is an open question.
    ///
    /// ## Example
    /// A spec without `## Error handling`, where
    /// `lint.required_sections = ["Error handling"]`.
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
        let sections = facts.required_sections.iter().take(MAX_SECTIONS);
        let sections: Vec<&str> = sections.map(String::as_str).collect();
        if sections.is_empty() {
            return;
        }
        for document in facts.markdown() {
            if document.role == DocumentRole::Spec && !document.outline.is_blank() {
                hold(document, &sections, sink);
            }
        }
    }
}

fn hold(document: &Document, sections: &[&str], sink: &mut Sink) {
    sink.look_at(sections.len());
    let title = document.outline.headings.first();
    let top = title.map_or(Span::empty(document.body), |heading| heading.span);
    let mut next = document.source.len();
    let mut missing = Vec::new();
    for (section, place) in sections.iter().zip(places(document, sections)).rev() {
        match place {
            Some(place) => next = place,
            None => missing.push((section, next)),
        }
    }
    let is_open = !missing.is_empty() && unclosed_fence::is_open(document);
    for (section, at) in missing.into_iter().rev() {
        let name = excerpt(section, MAX_NAME);
        sink.push(
            document,
            top,
            format!("The section `{name}`, which the configuration requires, is missing."),
            format!("Add `## {name}` with its content, or with `None.` and the reason."),
        )
        .fix((!is_open).then(|| addition(&document.source, at, &name)));
    }
}

/// The index of the first heading of each section in a document.
fn places(document: &Document, sections: &[&str]) -> Vec<Option<usize>> {
    let mut first = HashMap::new();
    for heading in &document.outline.headings {
        let place = first.entry(section_key(&heading.text));
        place.or_insert(heading.span.start);
    }
    let sections = sections.iter();
    sections
        .map(|section| first.get(&section_key(section)).copied())
        .collect()
}

/// The words of a heading for comparison: in lower case, without punctuation and
/// leading numbers.
fn section_key(heading: &str) -> String {
    let bare = heading.trim_start_matches(|c| matches!(c, '0'..='9' | '.' | ' ' | ')'));
    let bare = if bare.is_empty() { heading } else { bare }.to_lowercase();
    let words = bare.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_compared_by_their_words() {
        for (heading, expected) in [
            ("Error  Handling", "error handling"),
            ("2.1) Error-handling (new)", "error handling new"),
            ("\u{c9}TAT \u{39f}\u{3a3}", "\u{e9}tat \u{3bf}\u{3c2}"),
            ("404", "404"),
            ("--", ""),
        ] {
            assert_eq!(section_key(heading), expected, "{heading}");
        }
    }
}
