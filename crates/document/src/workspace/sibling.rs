//! A document next to those under review.

use super::{Document, DocumentRole};
use crate::source::SourceText;

/// A document of the same kind as one under review, with only its sections
/// known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The file, relative to the root.
    pub path: String,
    /// Its role.
    pub role: DocumentRole,
    /// Each section once, by its key.
    sections: Vec<Section>,
}

/// A section, for comparison between documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The content of its heading, normalized by [`section_key`].
    pub key: String,
    /// Its first position among the sections of its document.
    pub place: usize,
    /// The content of its heading.
    pub name: String,
}

impl Sibling {
    /// Builds a sibling from the headings of its highest sections, in order.
    #[must_use]
    pub fn new<'a>(
        path: impl Into<String>,
        role: DocumentRole,
        headings: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let headings = headings.into_iter().enumerate();
        let mut sections: Vec<_> = headings
            .map(|(place, name)| Section::new(place, name))
            .collect();
        sections.sort_by(|one, other| one.key.cmp(&other.key));
        sections.dedup_by(|next, first| next.key == first.key);
        Self {
            path: path.into(),
            role,
            sections,
        }
    }

    /// Parses a file.
    #[must_use]
    pub fn parse<'s>(
        path: impl Into<String>,
        role: DocumentRole,
        source: impl Into<SourceText<'s>>,
    ) -> Self {
        Self::of(&Document::parse(path, role, source))
    }

    /// Returns the sibling of a document.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let sections = document.outline.top_sections();
        let headings = sections.map(|heading| heading.text.as_str());
        Self::new(document.path.as_str(), document.role, headings)
    }

    /// Returns its highest sections, each once, by their keys.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }
}

impl Section {
    fn new(place: usize, name: &str) -> Self {
        Self {
            key: section_key(name),
            place,
            name: name.to_owned(),
        }
    }
}

/// Returns the words of a heading for comparison: in lower case, without punctuation
/// and leading numbers.
#[must_use]
pub fn section_key(heading: &str) -> String {
    let bare = heading.trim_start_matches(|c| matches!(c, '0'..='9' | '.' | ' ' | ')'));
    let bare = if bare.is_empty() { heading } else { bare }.to_lowercase();
    let words = bare.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
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

    #[test]
    fn a_repeated_section_is_the_first_one() {
        let sibling = Sibling::new("a.md", DocumentRole::Spec, ["B", "A", "b", "1. A"]);
        let sections = sibling.sections().iter();
        let sections: Vec<_> = sections
            .map(|section| (section.key.as_str(), section.place, section.name.as_str()))
            .collect();
        assert_eq!(sections, [("a", 1, "A"), ("b", 0, "B")]);
    }

    #[test]
    fn the_highest_sections_of_a_file_are_known() {
        let text = "# T\n\n## B\n\n### C\n\n## A\n";
        let expected = Sibling::new("a.md", DocumentRole::Spec, ["B", "A"]);
        assert_eq!(Sibling::parse("a.md", DocumentRole::Spec, text), expected);
    }
}
