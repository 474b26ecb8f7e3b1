//! What is wrong with a value or a line, by name.

use std::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// What it is about is invalid.
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

/// How severe something is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As the format says.
    #[default]
    Default,
    /// As `Default`; what is only doubtful otherwise is an error.
    Strict,
    /// As `Default`; what other programs write is converted, with a warning.
    Import,
}

impl Mode {
    /// All modes, the default first.
    pub const ALL: [Self; 3] = [Self::Default, Self::Strict, Self::Import];

    /// The word on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Strict => "strict",
            Self::Import => "import",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A closed list of what can be wrong with something.
pub trait DiagnosticCode: Copy + fmt::Display + 'static {
    /// All codes, those of the schema first.
    const ALL: &[Self];

    /// The name in reports.
    fn as_str(self) -> &'static str;

    /// The list that it belongs to.
    fn list(self) -> List;

    /// What it means, in one sentence.
    fn summary(self) -> &'static str;

    /// How to mend it, in one sentence.
    fn advice(self) -> &'static str;
}

/// Which list a diagnostic belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum List {
    /// What the JSON Schema of the format says, formats included.
    Schema,
    /// What the texts about the format say beyond that.
    Rule,
}

impl List {
    /// All lists.
    pub const ALL: [Self; 2] = [Self::Schema, Self::Rule];

    /// The word in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Rule => "rule",
        }
    }
}

/// One thing that is wrong with a line or a value.
///
/// Its JSON form is `{"line","pointer","code","severity","message","fix"}`, where
/// `fix` says how to mend it, whether or not it is known what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<C: DiagnosticCode> {
    /// The line, from 1; 0 where nobody has looked for it yet.
    pub line: u64,
    /// The JSON pointer to the value, also to one that is missing; empty for the
    /// whole.
    pub pointer: String,
    /// What it is.
    pub code: C,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub fix: Option<String>,
}

impl<C: DiagnosticCode> Serialize for Diagnostic<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Diagnostic", 6)?;
        out.serialize_field("line", &self.line)?;
        out.serialize_field("pointer", &self.pointer)?;
        out.serialize_field("code", self.code.as_str())?;
        out.serialize_field("severity", &self.severity)?;
        out.serialize_field("message", &self.message)?;
        out.serialize_field("fix", self.advice())?;
        out.end()
    }
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

/// Makes the enum `Code` of a closed list of diagnostics: each with its list, its
/// name in reports, what it means, and how to mend it.
#[macro_export]
macro_rules! diagnostic_codes {
    ($(#[$about:meta])* { $($(#[$doc:meta])* $name:ident = $list:ident $word:literal, $summary:literal, $advice:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All codes, those of the schema first.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// The list that it belongs to.
            #[must_use]
            pub const fn list(self) -> $crate::diagnostic::List {
                match self {
                    $(Self::$name => $crate::diagnostic::List::$list,)*
                }
            }

            /// What it means, in one sentence.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self {
                    $(Self::$name => $summary,)*
                }
            }

            /// How to mend it, in one sentence.
            #[must_use]
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$name => $advice,)*
                }
            }
        }

        impl $crate::diagnostic::DiagnosticCode for Code {
            const ALL: &[Self] = Self::ALL;

            fn as_str(self) -> &'static str {
                self.as_str()
            }

            fn list(self) -> $crate::diagnostic::List {
                self.list()
            }

            fn summary(self) -> &'static str {
                self.summary()
            }

            fn advice(self) -> &'static str {
                self.advice()
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
