//! The kind of a section with regard to requirements.

use review_document::markdown::{Heading, Outline};

/// The kind of a section with regard to requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// It states requirements.
    Requirements,
    /// It refers to, tests or withdraws requirements.
    References,
    /// Neither.
    Other,
}

/// The meaning of a word in a heading for its section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SectionWord {
    /// States requirements, whatever the other words are, as in "Acceptance criteria
    /// (EARS)".
    Pattern,
    /// Only refers to requirements.
    References,
    /// States requirements.
    Requirements,
}

impl SectionWord {
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

/// The kind of the section of each heading; if the heading does not decide it, the kind
/// of the parent section.
pub(super) fn kinds(outline: &Outline) -> Vec<Section> {
    let headings = &outline.headings;
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
/// Document", which does not decide the kind of its sections.
fn is_name(heading: &Heading) -> bool {
    heading.level == 1 && heading.text.split_whitespace().count() > 2
}

fn own_kind(text: &str) -> Option<Section> {
    let mut found = None;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        match SectionWord::of(word) {
            Some(SectionWord::Pattern) => return Some(Section::Requirements),
            Some(SectionWord::References) => found = Some(Section::References),
            Some(SectionWord::Requirements) => found = found.or(Some(Section::Requirements)),
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
    fn a_section_has_the_kind_of_its_nearest_decisive_heading() {
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
    fn the_name_of_a_document_does_not_decide() {
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
    fn only_whole_words_decide() {
        assert_eq!(own_kind("The latest version"), None);
        assert_eq!(own_kind("CONSTRAINTS"), Some(Section::Requirements));
        assert_eq!(
            own_kind("Acceptance criteria (EARS)"),
            Some(Section::Requirements)
        );
        assert_eq!(own_kind("Test-plan"), Some(Section::References));
    }

    #[test]
    fn text_below_a_question_is_an_answer() {
        assert_eq!(
            own_kind("Are there new requirements? "),
            Some(Section::References)
        );
        assert_eq!(own_kind("Requirements?!"), Some(Section::Requirements));
    }
}
