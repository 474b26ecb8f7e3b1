//! What a section says about the requirements in it.

use review_document::markdown::Heading;

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

/// Words of headings whose sections only refer to requirements.
const REFERENCES: [&str; 38] = [
    "acceptance",
    "changelog",
    "changes",
    "checklist",
    "checklists",
    "clarification",
    "clarifications",
    "coverage",
    "decisions",
    "deferred",
    "definitions",
    "discussion",
    "evidence",
    "glossary",
    "history",
    "log",
    "mapping",
    "maps",
    "matrix",
    "note",
    "notes",
    "questions",
    "rationale",
    "removed",
    "research",
    "resolution",
    "review",
    "status",
    "summary",
    "terminology",
    "terms",
    "test",
    "testing",
    "tests",
    "trace",
    "traceability",
    "verification",
    "withdrawn",
];

/// Words of headings whose sections hold requirements.
const REQUIREMENTS: [&str; 4] = ["requirement", "requirements", "constraint", "constraints"];

/// A word of headings whose sections hold requirements whatever else they are
/// called, as in "Acceptance criteria (EARS)".
const PATTERNS: [&str; 1] = ["ears"];

/// The kinds of the sections that the headings open; one that says neither is
/// of the kind of the section around it.
pub(super) fn kinds(headings: &[Heading]) -> Vec<Section> {
    let mut kinds: Vec<Section> = Vec::with_capacity(headings.len());
    for heading in headings {
        let above = heading.parent.and_then(|parent| kinds.get(parent));
        let kind = own_kind(&heading.text);
        kinds.push(kind.or(above.copied()).unwrap_or(Section::Other));
    }
    kinds
}

fn own_kind(text: &str) -> Option<Section> {
    let has = |known: &[&str]| {
        text.split(|c: char| !c.is_alphanumeric())
            .any(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)))
    };
    if has(&PATTERNS) {
        Some(Section::Requirements)
    } else if has(&REFERENCES) {
        Some(Section::References)
    } else if has(&REQUIREMENTS) {
        Some(Section::Requirements)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use review_document::markdown::Outline;

    use super::*;

    #[test]
    fn a_section_is_what_its_nearest_telling_heading_says() {
        let outline = Outline::parse(
            "# Store\n\n## Requirements\n\n### Input\n\n### Requirements coverage\n\n#### Part\n\n## Design\n",
        );
        assert_eq!(
            kinds(outline.headings()),
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
    fn only_whole_words_tell() {
        assert_eq!(own_kind("The latest version"), None);
        assert_eq!(own_kind("CONSTRAINTS"), Some(Section::Requirements));
        assert_eq!(
            own_kind("Acceptance criteria (EARS)"),
            Some(Section::Requirements)
        );
        assert_eq!(own_kind("Test-plan"), Some(Section::References));
    }
}
