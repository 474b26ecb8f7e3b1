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

/// How severe a line is read: with [`Mode::Import`] instants without an offset,
/// names in other cases and severities of reviews are converted.
pub use crate::diagnostic::Mode;

use raw::RawCorrection;

/// One thing that is wrong with a line.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

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
