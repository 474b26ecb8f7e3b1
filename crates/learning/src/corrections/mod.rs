//! Corrections: one JSON object a line, each about one change or objection of a user to
//! an agent's work.
//!
//! [`read`] reads one line, a [`Validation`] reads all lines of a file in constant
//! memory, and [`fix_lines`] rewrites lines whose mistake has only one possible
//! correction.

mod check;
mod fix;
mod lines;
mod offset_timestamp;
mod pattern;
mod record;
mod stats;
#[cfg(test)]
mod tests;
mod validate;
mod word;

pub use crate::diagnostic::Severity as DiagnosticSeverity;
pub use crate::object::Code;
pub use fix::{fix_lines, fixed_line};
pub use lines::{BYTE_ORDER_MARK, Line, Lines, MAX_LINE};
pub use offset_timestamp::OffsetTimestamp;
pub use pattern::{CommonPattern, KnownPatterns, PatternName, PatternNameError};
pub use record::{AiAction, Context, Correction, UserCorrection};
pub use stats::{CorrectionTotals, Stats};
pub use validate::Validation;
pub use word::{Confidence, CorrectionType, Severity, Source};

/// How strictly a line is read: [`Mode::Import`] converts times without an offset,
/// pattern names in other cases, and severities of reviews.
pub use crate::diagnostic::Mode;

/// A diagnostic of a line.
pub type Diagnostic = crate::object::Diagnostic;

/// The result of reading a line; its `object` is the correction.
pub type Reading = crate::object::Reading<Correction>;

/// Reads one line without its line end, where `line` is its number in the file.
///
/// ```
/// use review_learning::corrections::{Mode, read};
///
/// let reading = read(br#"[20260302]"#, 7, Mode::Default);
/// let first = &reading.diagnostics[0];
/// assert_eq!((first.code.as_str(), first.line), ("learning.member_type", 7));
/// assert_eq!(first.message, "expected an object, found an array");
/// assert_eq!(reading.object, None);
/// ```
pub fn read(text: &[u8], line: u64, mode: Mode) -> Reading {
    match serde_json::from_slice(text) {
        Ok(value) => check::checked(text, value, line, mode),
        Err(error) => Reading {
            object: None,
            diagnostics: vec![Diagnostic {
                code: Code::Syntax,
                severity: DiagnosticSeverity::Error,
                line,
                pointer: String::new(),
                at: 0,
                message: invalid_json(text, &error),
                fix: None,
            }],
        },
    }
}

/// What is wrong with a line, with the byte at which it is wrong.
fn invalid_json(text: &[u8], error: &serde_json::Error) -> String {
    if let Err(error) = std::str::from_utf8(text) {
        return format!("not UTF-8 at byte {}", error.valid_up_to());
    }
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let before = lines.take(error.line().saturating_sub(1));
    let at = before.map(<[u8]>::len).sum::<usize>() + error.column();
    let what = error.to_string();
    let end = what.rfind(" at line ").unwrap_or(what.len());
    format!("invalid JSON: {} at byte {at}", &what[..end])
}
