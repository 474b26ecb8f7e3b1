//! A configuration file.

use review_document::{LineIndex, Position};

use crate::key::Origin;

/// A configuration file, and the name by which messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    name: String,
    text: String,
    lines: LineIndex,
    is_earlier: bool,
}

impl ConfigFile {
    /// The file `name` that holds `text`; one that is not there holds nothing.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            name: name.into(),
            lines: LineIndex::new(&text),
            text,
            is_earlier: false,
        }
    }

    /// The file of an earlier commit, in which keys that are gone are passed over.
    pub fn earlier(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            is_earlier: true,
            ..Self::new(name, text)
        }
    }

    pub(crate) fn is_earlier(&self) -> bool {
        self.is_earlier
    }

    /// The name by which messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte `offset` as the origin of a value.
    pub(crate) fn origin(&self, offset: usize) -> Origin {
        Origin::File {
            path: self.name.clone(),
            line: self.position(offset).line,
        }
    }

    /// The line and column of a byte.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }
}
