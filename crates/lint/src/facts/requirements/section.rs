//! What a section says about the requirements in it.

use review_document::markdown::{Heading, Outline};

/// What the headings above a place make of what looks like a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// They say that these are requirements.
    Requirements,
    /// They say that requirements are spoken of, tested or withdrawn.
    References,
    /// They say neither.
    Other,
}

/// What a word of a heading says about its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// It holds requirements, whatever else it is called, as in "Acceptance
    /// criteria (EARS)".
    Pattern,
    /// It only refers to requirements.
    References,
    /// It holds requirements.
    Requirements,
}

impl Said {
    fn of(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "ears" => Some(Self::Pattern),
            "constraint" | "constraints" | "requirement" | "requirements" => {
                Some(Self::Requirements)
            }
            "acceptance" | "alternatives" | "changelog" | "changes" | "checklist"
            | "checklists" | "clarification" | "clarifications" | "context" | "coverage"
            | "decisions" | "deferred" | "definitions" | "discussion" | "done" | "drawbacks"
            | "evidence" | "glossary" | "history" | "log" | "mapping" | "maps" | "matrix"
            | "note" | "notes" | "questions" | "rationale" | "removed" | "research"
            | "resolution" | "review" | "risk" | "risks" | "status" | "summary" | "terminology"
            | "terms" | "test" | "testing" | "tests" | "trace" | "traceability"
            | "verification" | "withdrawn" => Some(Self::References),
            _ => None,
        }
    }
}

/// The kinds of the sections that the headings open; one that says neither is
/// of the kind of the section around it.
pub(super) fn kinds(outline: &Outline) -> Vec<Section> {
    let headings = outline.headings();
    let mut kinds: Vec<Section> = Vec::with_capacity(headings.len());
    for heading in headings.iter() {
        let above = heading.parent.and_then(|parent| kinds.get(parent));
        let kind = own_kind(&heading.text)
            .filter(|kind| !(*kind == Section::Requirements && is_name(heading)));
        kinds.push(kind.or(above.copied()).unwrap_or(Section::Other));
    }
    kinds
}

/// Whether a heading is the name of a document, such as "Product Requirements
/// Document": it says nothing about its sections.
fn is_name(heading: &Heading) -> bool {
    heading.level == 1 && heading.text.split_whitespace().count() > 2
}

fn own_kind(text: &str) -> Option<Section> {
    let mut found = None;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        match Said::of(word) {
            Some(Said::Pattern) => return Some(Section::Requirements),
            Some(Said::References) => found = Some(Section::References),
            Some(Said::Requirements) => found = found.or(Some(Section::Requirements)),
            None => {}
        }
    }
    let asks = text.trim_end().ends_with('?');
    if asks {
        Some(Section::References)
    } else {
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_what_its_nearest_telling_heading_says() {
        let outline = Outline::parse(
            "# Store\n\n## Requirements\n\n### Input\n\n### Requirements coverage\n\n#### Part\n\n## Design\n",
        );
        assert_eq!(
            kinds(&outline),
            [
                Section::Other,
                Section::Requirements,
                Section::Requirements,
                Section::References,
                Section::References,
                Section::Other,
            ]
        );
    }

    #[test]
    fn the_name_of_a_document_tells_nothing() {
        for (text, expected) in [
            ("# Store requirements\n", Section::Requirements),
            ("# Product Requirements Document\n", Section::Other),
            ("## Product Requirements Document\n", Section::Requirements),
            ("# Notes on requirements\n", Section::References),
        ] {
            let outline = Outline::parse(text);
            assert_eq!(kinds(&outline), [expected], "{text}");
        }
    }

    #[test]
    fn only_whole_words_tell() {
        assert_eq!(own_kind("The latest version"), None);
        assert_eq!(own_kind("CONSTRAINTS"), Some(Section::Requirements));
        assert_eq!(
            own_kind("Acceptance criteria (EARS)"),
            Some(Section::Requirements)
        );
        assert_eq!(own_kind("Test-plan"), Some(Section::References));
    }

    #[test]
    fn what_stands_below_a_question_is_an_answer() {
        assert_eq!(
            own_kind("Are there new requirements? "),
            Some(Section::References)
        );
        assert_eq!(own_kind("Requirements?!"), Some(Section::Requirements));
    }
}
