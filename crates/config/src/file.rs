//! A configuration file.

use review_document::{LineIndex, Position};

/// A configuration file, and the name by which messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    name: String,
    text: String,
    lines: LineIndex,
}

impl ConfigFile {
    /// The file `name` that holds `text`; one that is not there holds nothing.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            name: name.into(),
            lines: LineIndex::new(&text),
            text,
        }
    }

    /// The name by which messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column of a byte.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }
}
