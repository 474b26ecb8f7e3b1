//! What is wrong with a document.

use std::fmt;

pub use review_types::diagnostic::{List, Severity};

use super::Code;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The JSON pointer to the value, also to one that is missing.
    pub pointer: String,
    /// The byte of the text at which the value begins, or what it is missing in.
    pub at: usize,
    /// The line of that byte, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Diagnostic {
    pub(super) fn syntax(what: &str, at: usize) -> Self {
        Self {
            code: Code::DocumentSyntax,
            severity: Severity::Error,
            pointer: String::new(),
            at,
            line: 1,
            message: format!("no valid JSON: {what}"),
        }
    }

    /// Whether it makes the document invalid.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Whether the published JSON Schema refuses the document for it.
    #[must_use]
    pub fn is_schema_error(&self) -> bool {
        self.is_error() && self.code.list() == List::Schema
    }

    /// How to mend it.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        self.code.advice()
    }
}

/// A value's place below that of the value around it; written as a JSON pointer
/// only when it is reported.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'p> {
    Root,
    Key(&'p Self, &'p str),
    Index(&'p Self, usize),
}

impl Path<'_> {
    pub(super) fn key<'p>(&'p self, key: &'p str) -> Path<'p> {
        Path::Key(self, key)
    }

    pub(super) fn index(&self, index: usize) -> Path<'_> {
        Path::Index(self, index)
    }
}

/// As a JSON pointer (RFC 6901).
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(above, key) => {
                let key = key.replace('~', "~0").replace('/', "~1");
                write!(f, "{above}/{key}")
            }
            Self::Index(above, index) => write!(f, "{above}/{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_what_has_a_meaning_in_it() {
        let items = Path::Root.key("a/b~c");
        assert_eq!(items.index(3).key("d").to_string(), "/a~1b~0c/3/d");
        assert_eq!(Path::Root.to_string(), "");
    }
}
