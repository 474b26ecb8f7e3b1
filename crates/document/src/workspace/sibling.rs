//! A document beside those under review.

use super::{Document, DocumentRole};

/// A document of the same kind as one under review, of which only the sections
/// are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The file, relative to the root.
    pub path: String,
    /// What it is.
    pub role: DocumentRole,
    /// The texts of the headings of its highest sections, in order.
    pub sections: Vec<String>,
}

impl Sibling {
    /// Reads a file.
    #[must_use]
    pub fn parse(path: impl Into<String>, role: DocumentRole, source: impl AsRef<[u8]>) -> Self {
        Self::of(&Document::parse(path, role, source))
    }

    /// What a document is to its siblings.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        let sections = document.outline.top_sections();
        Self {
            path: document.path.clone(),
            role: document.role,
            sections: sections.map(|heading| heading.text.to_owned()).collect(),
        }
    }
}
