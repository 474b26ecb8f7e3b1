//! What is wrong with a line or a value.

mod code;

use std::fmt;

use serde::{Serialize, Serializer};

pub(crate) use code::codes;
pub use code::{DiagnosticCode, List};

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The line or value is invalid.
    Error,
    /// It is valid, though it may not say what was meant.
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

/// One thing that is wrong with a line or a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(bound = "")]
pub struct Diagnostic<C: DiagnosticCode> {
    /// The line, from 1; 0 where nobody has looked for it yet.
    pub line: u64,
    /// The JSON pointer to the value, also to one that is missing; empty for the
    /// whole.
    pub pointer: String,
    /// What it is.
    #[serde(serialize_with = "word")]
    pub code: C,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub fix: Option<String>,
}

fn word<C: DiagnosticCode, S: Serializer>(code: &C, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.as_str())
}

impl<C: DiagnosticCode> Diagnostic<C> {
    /// Whether it makes the line or value invalid.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Whether the JSON Schema of the format refuses it.
    #[must_use]
    pub fn is_schema_error(&self) -> bool {
        self.is_error() && self.code.list() == List::Schema
    }

    /// How to mend it: what to write instead, or the advice of its code.
    #[must_use]
    pub fn advice(&self) -> &str {
        self.fix.as_deref().unwrap_or_else(|| self.code.advice())
    }
}
