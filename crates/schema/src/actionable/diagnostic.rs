//! What is wrong with a document.

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
