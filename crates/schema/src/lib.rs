//! Parses a reviewer's answer into a validated review.
//!
//! The most important rule: **only a lossless and unanimous answer can be a pass.**
//! A guess gives at most `needs_revision`; everything else is a [`SchemaError`] with
//! the field, the offset and a hint, so that the reviewer can be asked again.
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
//! This crate reads no files, contains no prompts and makes no calls.

pub mod actionable;
pub mod afp;
mod applied;
mod call_end;
mod candidates;
mod error;
mod frame;
mod judge;
mod object;
mod objects;
mod options;
mod outside;
mod parse;
mod parsed;
mod prose;
mod repair;
mod scan;
mod spelling;
mod tally;
mod yaml;

use frame::Frame;
use scan::WorkBudget;

use review_types::Verdict;

pub use applied::{ReportedDecisions, UnreadableDecision, read_decisions};
pub use error::{Field, ItemKey, SchemaError};
pub use object::read_object;
pub use options::{Dialect, Mode, Options};
pub use parsed::{EndMark, Measured, Parsed};
pub use repair::{Repair, RepairCode};

/// Parses an answer with the default [`Options`]: tolerant, with the four criteria.
///
/// # Errors
/// [`SchemaError`] is the first invalid field, in the order json, verdict,
/// score, the criteria, feedback, its items.
pub fn parse_and_validate(answer: impl AsRef<[u8]>) -> Result<Parsed, SchemaError> {
    parse_and_validate_with(answer, &Options::default())
}

/// Parses an answer with the given options.
///
/// # Errors
/// See [`parse_and_validate`].
pub fn parse_and_validate_with(
    answer: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Parsed, SchemaError> {
    measure(answer, options).result
}

/// Parses an answer and reports what it cost.
pub fn measure(answer: impl AsRef<[u8]>, options: &Options) -> Measured {
    let bytes = answer.as_ref();
    let (text, repair) = match frame::decode(bytes, options.mode) {
        Ok(decoded) => decoded,
        Err(error) => {
            return Measured {
                result: Err(error),
                work: 0,
            };
        }
    };
    // The last attempt may go over the whole text once more.
    let fuel = (17 * bytes.len()).saturating_sub(text.len());
    let from_json = measure_json(&text, &Frame::root(repair), fuel, options);
    let is_read = from_json.result.is_ok();
    let reads_yaml = options.dialect == Dialect::Actionable && options.mode == Mode::Tolerant;
    if is_read || !reads_yaml {
        return from_json;
    }
    match measure_yaml(&text, options) {
        Some(from_yaml) => Measured {
            work: from_json.work + from_yaml.work,
            ..from_yaml
        },
        None => from_json,
    }
}

/// Parses an answer that is a document in YAML. One with text around it is not a pass.
fn measure_yaml(text: &str, options: &Options) -> Option<Measured> {
    let answer = yaml::answer(text)?;
    let frame = Frame::converted(RepairCode::Yaml);
    let mut measured = measure_json(&answer.json, &frame, 16 * answer.json.len(), options);
    measured.result = measured.result.and_then(|mut parsed| {
        if answer.has_prose && parsed.review.verdict() == Verdict::Pass {
            let message = "a pass in YAML must be the whole answer";
            return Err(SchemaError::verdict(message));
        }
        parsed.span = 0..text.len();
        parsed.is_alone = !answer.has_prose;
        Ok(parsed)
    });
    Some(measured)
}

fn measure_json(text: &str, frame: &Frame, fuel: usize, options: &Options) -> Measured {
    let mut budget = WorkBudget::new(options, fuel);
    let scanned = scan::read_text(text, frame, &mut budget);
    let result = scanned.and_then(|scanned| scanned.conclude(text, options));
    let result = result.map(|parsed| Parsed {
        is_alone: prose::is_alone(text, &parsed.span),
        ..parsed
    });
    Measured {
        result,
        work: budget.work,
    }
}

/// Returns the first balanced object of a string that parses as JSON.
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
