//! Diagnostics of a document.

use std::fmt;

pub use review_types::diagnostic::{List, Severity};

use super::Code;

/// A diagnostic of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The JSON pointer to the value, also to a missing one.
    pub pointer: String,
    /// The offset in bytes of the value, or of the object that lacks it.
    pub at: usize,
    /// The line of that byte, from 1.
    pub line: usize,
    /// The message.
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
            message: format!("invalid JSON: {what}"),
        }
    }

    /// Returns whether it makes the document invalid.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns whether the published JSON Schema rejects the document for it.
    #[must_use]
    pub fn is_schema_error(&self) -> bool {
        self.is_error() && self.code.list() == List::Schema
    }

    /// Returns how to fix it.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        self.code.advice()
    }
}

/// The path of a value, as a link to the path of its parent; formatted as a JSON
/// pointer only when it is reported.
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

    /// Returns whether it is that of the field `key` of an object.
    pub(super) fn is_key(&self, key: &str) -> bool {
        matches!(self, Path::Key(_, own) if *own == key)
    }
}

/// Returns the path as a JSON pointer (RFC 6901).
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
    fn a_pointer_escapes_special_characters() {
        let items = Path::Root.key("a/b~c");
        assert_eq!(items.index(3).key("d").to_string(), "/a~1b~0c/3/d");
        assert_eq!(Path::Root.to_string(), "");
    }
}
