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
mod prose;
mod repair;
mod scan;
mod scan_result;
mod tally;
mod yaml;

use frame::Frame;
use input::Input;
use scan::WorkBudget;
use scan_result::ScanResult;

use review_types::Verdict;

pub use applied::{ReportedDecisions, UnreadableDecision, read_decisions};
pub use error::SchemaError;
pub use explain::{CandidateOutcome, CandidateReport, Explanation};
pub use field::{AfpKey, Field, FieldParseError, ItemKey};
pub use object::{read_last_object, read_object};
pub use options::{Dialect, Mode, Options};
pub use parsed::{EndMark, Parsed};
pub use repair::{Repair, RepairClass, RepairCode};

/// The two verdicts, in the order in which messages list them.
pub const VALID_VERDICTS: [&str; 2] = ["pass", "needs_revision"];

/// The criteria that every review must score unless [`Options`] lists others.
pub const REQUIRED_SCORE_CRITERIA: [&str; 4] =
    ["completeness", "consistency", "testability", "architecture"];

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
    explain(answer, options).result
}

/// Parses an answer and reports the outcome of every candidate.
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
    let from_json = explain_json(&input, options);
    let is_read = from_json.result.is_ok();
    let reads_yaml = options.dialect == Dialect::Actionable && options.mode == Mode::Tolerant;
    if is_read || !reads_yaml {
        return from_json;
    }
    match explain_yaml(&input.text, options) {
        Some(from_yaml) => Explanation {
            work: from_json.work + from_yaml.work,
            ..from_yaml
        },
        None => from_json,
    }
}

/// Parses an answer that is a document in YAML. One with text around it is no pass.
fn explain_yaml(text: &str, options: &Options) -> Option<Explanation> {
    let answer = yaml::answer(text)?;
    let input = Input::decode(answer.json.as_bytes(), options.mode).ok()?;
    let mut explanation = explain_json(&input, options);
    for place in explanation.places() {
        *place = 0;
    }
    explanation.result = explanation.result.and_then(|mut parsed| {
        if answer.has_prose && parsed.review.verdict() == Verdict::Pass {
            let message = "a pass in YAML must be the whole answer";
            return Err(SchemaError::of(Field::Verdict, message));
        }
        parsed.span = 0..text.len();
        parsed.is_alone = !answer.has_prose;
        parsed.repairs.insert(0, Repair::new(RepairCode::Yaml, 0));
        Ok(parsed)
    });
    Some(explanation)
}

fn explain_json(input: &Input<'_>, options: &Options) -> Explanation {
    let mut effort = WorkBudget::new(options, input.fuel());
    let frame = Frame::root(input.repair);
    let reading = scan::read_text(&input.text, &frame, &mut effort);
    let signed_only = reading.as_ref().is_ok_and(ScanResult::is_signed);
    let result = reading.and_then(|reading| reading.conclude(&input.text, options));
    let result = result.map(|parsed| Parsed {
        is_alone: prose::is_alone(&input.text, &parsed.span),
        ..parsed
    });
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
