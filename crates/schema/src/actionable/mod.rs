//! The actionable-feedback document: its types, validation and parsing. It holds the
//! issues that one iteration of a review found, and the suggested changes.
//!
//! These functions accept exact JSON, as programs write it. The output of a model is
//! parsed by [`parse_and_validate_with`](crate::parse_and_validate_with) in the
//! dialect `actionable`.

mod check;
mod code;
mod compose;
mod document;
mod item;
mod number;
mod path;
mod rules;
mod text;

use memchr::memchr_iter;

use crate::parse::{Inexact, Node, exact};
use check::Check;

pub use code::Code;
pub use compose::{Draft, DraftItem, aspect_of, compose, target_type};
pub use document::{
    ActionableFeedback, Aspect, AssessmentVerdict, DocumentId, Items, Iteration, LocationType,
    NoItems, OverallAssessment, Phase, QualityTracking, Target, TargetType,
};
pub use item::{Item, Location, Suggestion};
pub(crate) use number::without_format;
pub use number::{Count, Fraction, NumberRange, Priority, WholeNumber};
pub use review_types::Evidence;
pub use text::{Action, BoundedText, Issue, Rationale, Summary, TextLength};

/// How strictly a document is validated: with [`Mode::Strict`] every vague or advisory
/// wording is an error, with [`Mode::Import`] ids of other systems are accepted.
pub use review_types::diagnostic::Mode;

pub use review_types::diagnostic::Severity;

/// A diagnostic of a document.
pub type Diagnostic = review_types::diagnostic::Diagnostic<Code>;

/// Returns the diagnostics of a document, in the order of the input. A document is
/// valid when none of them is an error.
///
/// ```
/// use review_schema::actionable::{Mode, validate};
///
/// let found = validate("{\n  \"id\": 7\n}", Mode::Default);
/// assert_eq!(found[0].code.as_str(), "field.missing");
/// let id = found.iter().find(|one| one.pointer == "/id").unwrap();
/// assert_eq!((id.code.as_str(), id.line), ("field.type", 2));
/// ```
#[must_use]
pub fn validate(text: &str, mode: Mode) -> Vec<Diagnostic> {
    match exact(text) {
        Ok(node) => checked(text, &node, mode),
        Err(inexact) => vec![syntax(text, inexact)],
    }
}

/// Parses a document, and returns it with its warnings.
///
/// # Errors
/// All diagnostics, when one of them is an error.
pub fn read(
    text: &str,
    mode: Mode,
) -> Result<(ActionableFeedback, Vec<Diagnostic>), Vec<Diagnostic>> {
    let node = exact(text).map_err(|inexact| vec![syntax(text, inexact)])?;
    let mut found = checked(text, &node, mode);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    match document(&node) {
        Ok(feedback) => Ok((feedback, found)),
        Err(error) => {
            found.push(invalid_json(&error.to_string(), 0));
            Err(found)
        }
    }
}

fn checked(text: &str, node: &Node<'_>, mode: Mode) -> Vec<Diagnostic> {
    let mut found = check(node, mode);
    number_lines(text, &mut found);
    found
}

fn syntax(text: &str, Inexact { what, at }: Inexact) -> Diagnostic {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let column = line.chars().count() + 1;
    let mut found = invalid_json(&format!("{what} (column {column})"), at);
    if text.trim().is_empty() {
        found.message = "the document is empty".to_owned();
    }
    number_lines(text, std::slice::from_mut(&mut found));
    found
}

fn invalid_json(what: &str, at: usize) -> Diagnostic {
    Diagnostic {
        code: Code::DocumentSyntax,
        severity: Severity::Error,
        pointer: String::new(),
        at,
        line: 1,
        message: format!("invalid JSON: {what}"),
        fix: None,
    }
}

/// Returns the diagnostics of a parsed document, in the order of the input and
/// without lines.
pub(crate) fn check(node: &Node<'_>, mode: Mode) -> Vec<Diagnostic> {
    let mut check = Check::new(mode);
    check.document(node);
    let mut found = check.finish();
    found.sort_by_key(|diagnostic| diagnostic.at);
    found
}

/// Converts a value that is known to be valid except for its wording.
pub(crate) fn document(node: &Node<'_>) -> Result<ActionableFeedback, serde_json::Error> {
    serde_json::from_value(node.json())
}

/// Adds the lines to the diagnostics, which are in the order of the input.
fn number_lines(text: &str, found: &mut [Diagnostic]) {
    let (mut line, mut from) = (1, 0);
    for diagnostic in found {
        let passed = text.as_bytes().get(from..diagnostic.at).unwrap_or_default();
        line += memchr_iter(b'\n', passed).count() as u64;
        from = from.max(diagnostic.at);
        diagnostic.line = line;
    }
}
