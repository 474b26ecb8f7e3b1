//! How the objects of the agent learning schema are read: JSON values in, an
//! object and named diagnostics out.

mod code;
mod fields;

use serde_json::Value as Json;

pub use code::Code;
pub(crate) use fields::{Fields, UnknownKeys};

use crate::diagnostic::Severity;

/// One thing that is wrong with an object.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// What a value becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T> {
    /// The object, unless a diagnostic is an error.
    pub object: Option<T>,
    /// What is wrong, in the order of the format's members.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reading<T> {
    /// The object, or what is wrong with it; warnings are left out.
    ///
    /// # Errors
    /// The diagnostics, if one of them is an error.
    pub fn into_result(self) -> Result<T, Vec<Diagnostic>> {
        self.object.ok_or(self.diagnostics)
    }
}

/// An object of the agent learning schema.
pub trait LearningObject: Sized {
    /// Reads a JSON value.
    fn read(value: &Json) -> Reading<Self>;

    /// Reads a JSON text.
    #[must_use]
    fn parse(text: &[u8]) -> Reading<Self> {
        match serde_json::from_slice(text) {
            Ok(value) => Self::read(&value),
            Err(error) => Reading {
                object: None,
                diagnostics: vec![Diagnostic {
                    line: error.line() as u64,
                    pointer: String::new(),
                    code: Code::Syntax,
                    severity: Severity::Error,
                    message: error.to_string(),
                    fix: None,
                }],
            },
        }
    }
}

/// Reads a value with what reads its members; unknown keys are dealt with as
/// `unknown` says.
pub(crate) fn reading<T>(
    value: &Json,
    unknown: UnknownKeys,
    read: impl FnOnce(&mut Fields<'_, '_>) -> Option<T>,
) -> Reading<T> {
    let mut diagnostics = Vec::new();
    let object = Fields::root(value, unknown, &mut diagnostics).and_then(|mut fields| {
        let object = read(&mut fields);
        fields.end();
        object
    });
    let is_valid = !diagnostics.iter().any(Diagnostic::is_error);
    Reading {
        object: object.filter(|_| is_valid),
        diagnostics,
    }
}
