//! From a reviewer's text to a checked review, and nothing else.
//!
//! The one rule above all: **a pass may only come from a lossless and unanimous
//! reading.** What had to be guessed gives at most `needs_revision`; everything
//! else is a [`SchemaError`] that names the field, the place and a hint, so that
//! the reviewer can be asked again.
//!
//! ```
//! use review_schema::parse_and_validate;
//! use review_types::Verdict;
//!
//! let answer = r#"Here is my review:
//! ```json
//! {"verdict": "pass",
//!  "score": {"completeness": 90, "consistency": 85, "testability": 80, "architecture": 95},
//!  "feedback": [],}
//! ```"#;
//!
//! let parsed = parse_and_validate(answer)?;
//! assert_eq!(parsed.review.verdict(), Verdict::Pass);
//! assert_eq!(parsed.repairs[0].code.as_str(), "trailing_comma");
//! # Ok::<(), review_schema::SchemaError>(())
//! ```
//!
//! This crate reads no files, knows no prompts and calls nobody.

pub mod actionable;
pub mod afp;
mod applied;
mod error;
mod explain;
mod field;
mod form;
mod frame;
mod input;
mod judge;
mod object;
mod objects;
mod options;
mod outside;
mod parse;
mod parsed;
mod reading;
mod repair;
mod scan;
mod sentence;
mod tally;

use frame::Frame;
use input::Input;
use reading::Reading;
use scan::Effort;

pub use applied::read_decisions;
pub use error::SchemaError;
pub use explain::{CandidateReport, Explanation, Fate};
pub use field::{AfpKey, Field, FieldParseError, ItemKey};
pub use object::{read_cut_object, read_object};
pub use options::{Dialect, Mode, Options};
pub use parsed::Parsed;
pub use repair::{Repair, RepairClass, RepairCode};

/// The two verdicts, in the order in which messages list them.
pub const VALID_VERDICTS: [&str; 2] = ["pass", "needs_revision"];

/// The criteria that every review scores unless [`Options`] names others.
pub const REQUIRED_SCORE_CRITERIA: [&str; 4] =
    ["completeness", "consistency", "testability", "architecture"];

/// Reads an answer with the default [`Options`]: tolerant, the four criteria.
///
/// # Errors
/// [`SchemaError`] names the first field that fails, in the order json, verdict,
/// score, the criteria, feedback, its items.
pub fn parse_and_validate(answer: impl AsRef<[u8]>) -> Result<Parsed, SchemaError> {
    parse_and_validate_with(answer, &Options::default())
}

/// Reads an answer as `options` ask.
///
/// # Errors
/// As [`parse_and_validate`].
pub fn parse_and_validate_with(
    answer: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Parsed, SchemaError> {
    explain(answer, options).result
}

/// Reads an answer and tells of every candidate why it won or lost.
pub fn explain(answer: impl AsRef<[u8]>, options: &Options) -> Explanation {
    let input = match Input::decode(answer.as_ref(), options.mode) {
        Ok(input) => input,
        Err(error) => {
            return Explanation {
                result: Err(error),
                candidates: Vec::new(),
                left_off: 0,
                work: 0,
            };
        }
    };
    let mut effort = Effort::new(options, input.fuel());
    let frame = Frame::root(input.repair);
    let reading = scan::read_text(&input.text, &frame, &mut effort);
    let signed_only = reading.as_ref().is_ok_and(Reading::is_signed);
    let result = reading.and_then(|reading| reading.conclude(&input.text, options));
    let chosen = result.as_ref().ok().map(|parsed| &parsed.span);
    let (candidates, left_off) = effort.trace.finish(chosen, signed_only);
    let mut explanation = Explanation {
        result,
        candidates,
        left_off,
        work: effort.work,
    };
    input.locate(explanation.places());
    explanation
}

/// Returns the first balanced object of a text that parses as JSON.
///
/// ```
/// use review_schema::extract_json;
///
/// assert_eq!(extract_json(r#"so: {"a": {"b": "}"}} ok"#), Some(r#"{"a": {"b": "}"}}"#));
/// assert_eq!(extract_json("nothing {here}"), None);
/// ```
#[must_use]
pub fn extract_json(text: &str) -> Option<&str> {
    objects::first_object(text)
}
