//! Actionable-feedback documents: from text to diagnostics and checked values.
//!
//! These functions take exact JSON, as programs write it. What a model wrote is
//! read by [`parse_and_validate_with`](crate::parse_and_validate_with) in the
//! dialect `actionable`.

mod check;
mod code;
mod compose;
mod diagnostic;
mod format;
mod path;
mod rewrite;
mod rules;
mod shape;
mod tape;

use memchr::memchr_iter;
use review_types::actionable::ActionableFeedback;

use check::Check;
use tape::Tape;

pub use code::Code;
pub use compose::{Draft, DraftItem, aspect_of, compose, target_type};
pub use diagnostic::{Diagnostic, List, Severity};
pub(crate) use rewrite::Rewritten;

/// How severe a document is read: with [`Mode::Strict`] every vague or advisory
/// wording is an error, with [`Mode::Import`] ids of other systems are taken as
/// they are.
pub use review_types::diagnostic::Mode;

/// What is wrong with a document, in the order of the text. A document is valid
/// when none of it is an error.
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
    let mut found = match Tape::read(text) {
        Ok(tape) => {
            let mut check = Check::new(mode);
            check.document(tape.root());
            check.finish()
        }
        Err(inexact) => vec![Diagnostic::syntax(inexact.what, inexact.at)],
    };
    found.sort_by_key(|diagnostic| diagnostic.at);
    number_lines(text, &mut found);
    found
}

/// Reads a document. Beside it stands what it was warned of.
///
/// A location of type `line` whose reference is a range becomes one of type
/// `range`.
///
/// # Errors
/// All diagnostics, when one of them is an error.
pub fn read(
    text: &str,
    mode: Mode,
) -> Result<(ActionableFeedback, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut found = validate(text, mode);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    match read_known(text) {
        Ok(feedback) => Ok((feedback, found)),
        Err(error) => {
            found.push(Diagnostic::syntax(&error.to_string(), 0));
            Err(found)
        }
    }
}

/// The document of a text that is known to be valid but for its wording.
pub(crate) fn read_known(text: &str) -> Result<ActionableFeedback, serde_json::Error> {
    serde_json::from_str(text).map(rules::normalised)
}

/// Gives the diagnostics, which are in the order of the text, their lines.
fn number_lines(text: &str, found: &mut [Diagnostic]) {
    let (mut line, mut from) = (1, 0);
    for diagnostic in found {
        let passed = text.as_bytes().get(from..diagnostic.at).unwrap_or_default();
        line += memchr_iter(b'\n', passed).count();
        from = from.max(diagnostic.at);
        diagnostic.line = line;
    }
}
