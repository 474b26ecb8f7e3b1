//! Corrections: one JSON object a line, each about one change or objection of a user to
//! an agent's work.
//!
//! [`read`] reads one line, a [`Validation`] reads all lines of a file in constant
//! memory, and [`fix_lines`] rewrites lines whose mistake has only one possible
//! correction.

mod check;
mod code;
mod fix;
mod json;
mod lines;
mod offset_timestamp;
mod pattern;
mod record;
mod stats;
#[cfg(test)]
mod tests;
mod validate;
mod word;

pub use crate::diagnostic::{List, Severity as DiagnosticSeverity};
pub use code::Code;
pub use fix::{fix_lines, fixed_line};
pub use lines::{BYTE_ORDER_MARK, Line, Lines, MAX_LINE};
pub use offset_timestamp::OffsetTimestamp;
pub use pattern::{CommonPattern, KnownPatterns, PatternName, PatternNameError};
pub use record::{AiAction, Context, Correction, Selection, UserCorrection};
pub use stats::{Stats, Sum};
pub use validate::Validation;
pub use word::{Confidence, CorrectionType, Severity, Source};

/// How strictly a line is read: [`Mode::Import`] converts times without an offset,
/// pattern names in other cases, and severities of reviews.
pub use crate::diagnostic::Mode;

use json::LineJson;

use crate::object::ObjectCode;

/// A diagnostic of a line.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// The result of reading a line; its `object` is the correction.
pub type Reading = crate::object::Reading<Correction, Code>;

impl ObjectCode for Code {
    const MEMBER_MISSING: Self = Self::MemberMissing;
    const MEMBER_TYPE: Self = Self::MemberType;
    const WORD_UNKNOWN: Self = Self::WordUnknown;
    const KEY_UNKNOWN: Self = Self::KeyNear;
}

/// Reads one line without its line end, where `line` is its number in the file.
///
/// ```
/// use review_learning::corrections::{Mode, read};
///
/// let reading = read(br#"[20260302]"#, 7, Mode::Default);
/// let first = &reading.diagnostics[0];
/// assert_eq!((first.code.as_str(), first.line), ("correction.member_type", 7));
/// assert_eq!(first.message, "expected an object, found an array");
/// assert_eq!(reading.object, None);
/// ```
#[must_use]
pub fn read(text: &[u8], line: u64, mode: Mode) -> Reading {
    match LineJson::read(text) {
        Ok(json) => check::checked(&json, line, mode),
        Err(error) => Reading {
            object: None,
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
