//! Diagnostics of values and lines.

use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::closed_list;

closed_list!(
    /// The severity of a diagnostic.
    Severity {
        /// The value is invalid.
        Error => "error",
        /// The value is valid, but may not be what was meant.
        Warning => "warning",
    }
);

closed_list!(
    /// How strictly a value is validated.
    #[derive(Default)]
    Mode {
        /// By the rules of the format.
        #[default]
        Default => "default",
        /// Like `Default`, but warnings are errors.
        Strict => "strict",
        /// Like `Default`, but forms of other programs are converted, with a warning.
        Import => "import",
    }
);

/// A code of a closed list of diagnostics.
pub trait DiagnosticCode: Copy + fmt::Display + 'static {
    /// Returns how to fix it, in one sentence.
    fn advice(self) -> &'static str;
}

/// A diagnostic of a line or a value.
///
/// Its JSON form is `{"line","pointer","code","severity","message","fix"}`, where
/// `fix` says how to fix it, even without a specific suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<C: DiagnosticCode> {
    /// The line, from 1; 0 if it has not been computed.
    pub line: u64,
    /// The JSON pointer to the value, also to a missing one; empty for the
    /// whole.
    pub pointer: String,
    /// The offset in bytes of the value, or of the object that lacks it; 0 where only its
    /// line is known.
    pub at: usize,
    /// The code.
    pub code: C,
    /// The severity.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// The suggested replacement, if there is one.
    pub fix: Option<String>,
}

impl<C: DiagnosticCode> Serialize for Diagnostic<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Diagnostic", 6)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("pointer", &self.pointer)?;
        out.serialize_field("code", &format_args!("{}", self.code))?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("message", &self.message)?;
        out.serialize_field("fix", self.advice())?;
        out.end()
    }
}

impl<C: DiagnosticCode> Diagnostic<C> {
    /// Returns whether it makes the line or value invalid.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Returns how to fix it: the suggested replacement, or the advice of its code.
    pub fn advice(&self) -> &str {
        self.fix.as_deref().unwrap_or_else(|| self.code.advice())
    }
}

/// Generates the enum `Code` of a closed list of diagnostics: each with its name in reports,
/// and how to fix it.
#[macro_export]
macro_rules! diagnostic_codes {
    ($(#[$about:meta])* { $($(#[$doc:meta])* $name:ident = $word:literal, $advice:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name in reports.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }

        impl $crate::diagnostic::DiagnosticCode for Code {
            fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)*
                }
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
