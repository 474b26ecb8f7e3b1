//! Corrections: one JSON object a line, each of them one thing that a user
//! changed of an agent's work, or said against it.
//!
//! [`read`] reads one line, a [`Validation`] all lines of a file in constant
//! memory, and [`mend_lines`] writes those anew whose mistake leaves only one
//! reading.

mod check;
mod code;
mod fix;
mod key;
mod lines;
mod moment;
mod pattern;
mod raw;
mod record;
mod select;
mod stats;
#[cfg(test)]
mod tests;
mod validate;
mod weight;
mod word;

pub use crate::diagnostic::{List, Severity as DiagnosticSeverity};
pub use code::Code;
pub use fix::{mend_lines, mended};
pub use lines::{Line, Lines, MAX_LINE};
pub use moment::Moment;
pub use pattern::{COMMON_PATTERNS, CommonPattern, KnownPatterns, PatternName, PatternNameError};
pub use record::{AiAction, Context, Correction, UserCorrection};
pub use select::Selection;
pub use stats::{Stats, Sum};
pub use validate::Validation;
pub use word::{Confidence, CorrectionType, Severity, Source};

use raw::RawCorrection;

/// One thing that is wrong with a line.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// How severe a line is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As the tables of the format say.
    #[default]
    Default,
    /// As `Default`; every warning is an error.
    Strict,
    /// As `Default`; what other programs write is converted, with a warning:
    /// instants without an offset, names in other cases, severities of reviews.
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

/// What a line becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'t> {
    /// The correction, unless a diagnostic is an error.
    pub correction: Option<Correction<'t>>,
    /// What is wrong with the line, in the order of the format's members.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one line, the number `line` of its file, without its end.
///
/// ```
/// use review_learning::corrections::{Mode, read};
///
/// let reading = read(br#"{"date": 20260302}"#, 7, Mode::Default);
/// let first = &reading.diagnostics[0];
/// assert_eq!((first.code.as_str(), first.line), ("correction.member_type", 7));
/// assert_eq!(first.pointer, "/date");
/// assert_eq!(reading.correction, None);
/// ```
#[must_use]
pub fn read(text: &[u8], line: u64, mode: Mode) -> Reading<'_> {
    match RawCorrection::read(text) {
        Ok(raw) => check::checked(raw, line, mode),
        Err(error) => Reading {
            correction: None,
            diagnostics: vec![Diagnostic {
                code: Code::LineSyntax,
                severity: DiagnosticSeverity::Error,
                line,
                pointer: String::new(),
                message: error.to_string(),
                fix: None,
            }],
        },
    }
}
