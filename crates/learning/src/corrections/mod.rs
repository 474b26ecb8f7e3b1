//! Corrections: one JSON object a line, each of them one thing that a user
//! changed of an agent's work, or said against it.
//!
//! [`read`] reads one line, a [`Validation`] all lines of a file in constant
//! memory, and [`mend_lines`] writes those anew whose mistake leaves only one
//! reading.

mod check;
mod code;
mod fix;
mod json;
mod lines;
mod moment;
mod pattern;
mod record;
mod stats;
#[cfg(test)]
mod tests;
mod validate;
mod word;

pub use crate::diagnostic::{List, Severity as DiagnosticSeverity};
pub use code::Code;
pub use fix::{mend_lines, mended};
pub use lines::{Line, Lines, MAX_LINE};
pub use moment::Moment;
pub use pattern::{COMMON_PATTERNS, CommonPattern, KnownPatterns, PatternName, PatternNameError};
pub use record::{AiAction, Context, Correction, Selection, UserCorrection};
pub use stats::{Stats, Sum};
pub use validate::Validation;
pub use word::{Confidence, CorrectionType, Severity, Source};

/// How severe a line is read: with [`Mode::Import`] instants without an offset,
/// names in other cases and severities of reviews are converted.
pub use crate::diagnostic::Mode;

use json::LineJson;

use crate::object::ObjectCode;

/// One thing that is wrong with a line.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// What a line becomes; its `object` is the correction.
pub type Reading = crate::object::Reading<Correction, Code>;

impl ObjectCode for Code {
    const MEMBER_MISSING: Self = Self::MemberMissing;
    const MEMBER_TYPE: Self = Self::MemberType;
    const WORD_UNKNOWN: Self = Self::WordUnknown;
    const KEY_UNKNOWN: Self = Self::KeyNear;
}

/// Reads one line, the number `line` of its file, without its end.
///
/// ```
/// use review_learning::corrections::{Mode, read};
///
/// let reading = read(br#"[20260302]"#, 7, Mode::Default);
/// let first = &reading.diagnostics[0];
/// assert_eq!((first.code.as_str(), first.line), ("correction.member_type", 7));
/// assert_eq!(first.message, "must be an object, got a list");
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
