//! Readers for the objects of the agent learning schema: JSON values in, an object and
//! diagnostics out.

mod code;
mod fields;

use serde_json::Value as Json;

pub use code::Code;
pub(crate) use fields::{Fields, MAX_QUOTED, UnknownKeys, escaped};

use crate::diagnostic::{DiagnosticCode, Severity};

/// A value that may be absent.
pub(crate) trait Set<T> {
    /// Replaces a default, if the value is present.
    fn set(self, place: &mut T);
}

impl<T> Set<T> for Option<T> {
    fn set(self, place: &mut T) {
        if let Some(value) = self {
            *place = value;
        }
    }
}

/// The diagnostic codes that every object format has.
pub(crate) trait ObjectCode: DiagnosticCode {
    /// A required field is missing.
    const MEMBER_MISSING: Self;
    /// A field has the wrong type.
    const MEMBER_TYPE: Self;
    /// A string is not one of the allowed values.
    const WORD_UNKNOWN: Self;
    /// A key is unknown.
    const KEY_UNKNOWN: Self;
}

impl ObjectCode for Code {
    const MEMBER_MISSING: Self = Self::MemberMissing;
    const MEMBER_TYPE: Self = Self::MemberType;
    const WORD_UNKNOWN: Self = Self::WordUnknown;
    const KEY_UNKNOWN: Self = Self::KeyUnknown;
}

/// A diagnostic of an object.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// The result of reading a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T, C: DiagnosticCode = Code> {
    /// The object, unless a diagnostic is an error.
    pub object: Option<T>,
    /// The diagnostics, in the order of the format's fields.
    pub diagnostics: Vec<crate::diagnostic::Diagnostic<C>>,
}

impl<T> Reading<T> {
    /// Returns the object, or the diagnostics; warnings alone are dropped.
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

    /// Reads a JSON document.
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

/// Reads a value with a function for its fields; `unknown` decides on unknown keys.
pub(crate) fn reading<T, C: ObjectCode>(
    value: &Json,
    unknown: UnknownKeys,
    read: impl FnOnce(&mut Fields<'_, '_, C>) -> Option<T>,
) -> Reading<T, C> {
    let mut diagnostics = Vec::new();
    let object = Fields::root(value, unknown, &mut diagnostics).and_then(|mut fields| {
        let object = read(&mut fields);
        fields.end();
        object
    });
    let is_valid = !diagnostics.iter().any(|one| one.is_error());
    Reading {
        object: object.filter(|_| is_valid),
        diagnostics,
    }
}
