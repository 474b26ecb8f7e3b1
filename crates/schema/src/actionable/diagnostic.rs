//! What is wrong with a document.

use std::fmt;

use super::{Code, List};

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The document is invalid.
    Error,
    /// The document is valid, though it may not say what was meant.
    Warning,
}

impl Severity {
    /// The word in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

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
    pub const fn fix(&self) -> &'static str {
        self.code.fix()
    }
}
