//! How the objects of the agent learning schema are read: JSON values in, an
//! object and named diagnostics out.

mod code;
mod fields;

use serde_json::Value as Json;

pub use code::Code;
pub(crate) use fields::{Fields, UnknownKeys, escaped, quoted};

use crate::diagnostic::{DiagnosticCode, Severity};

/// A value that may be there.
pub(crate) trait Set<T> {
    /// Puts it in the place of a default, if it is there.
    fn set(self, place: &mut T);
}

impl<T> Set<T> for Option<T> {
    fn set(self, place: &mut T) {
        if let Some(value) = self {
            *place = value;
        }
    }
}

/// The codes for what can be wrong with an object of any format.
pub(crate) trait ObjectCode: DiagnosticCode {
    /// A required member is missing.
    const MEMBER_MISSING: Self;
    /// A member has another type.
    const MEMBER_TYPE: Self;
    /// A word is none of a closed list.
    const WORD_UNKNOWN: Self;
    /// A key is not known.
    const KEY_UNKNOWN: Self;
}

impl ObjectCode for Code {
    const MEMBER_MISSING: Self = Self::MemberMissing;
    const MEMBER_TYPE: Self = Self::MemberType;
    const WORD_UNKNOWN: Self = Self::WordUnknown;
    const KEY_UNKNOWN: Self = Self::KeyUnknown;
}

/// One thing that is wrong with an object.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// What a value becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T, C: DiagnosticCode = Code> {
    /// The object, unless a diagnostic is an error.
    pub object: Option<T>,
    /// What is wrong, in the order of the format's members.
    pub diagnostics: Vec<crate::diagnostic::Diagnostic<C>>,
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
