//! Readers for the objects of the formats: a JSON value is checked against the JSON Schema
//! of its type, deserialized, and checked against the rules that a schema cannot express.

mod code;
mod json;
mod shape;

use review_types::pointer_part;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use serde_path_to_error::Segment;

pub use code::Code;
pub(crate) use json::{Repeated, repeated_keys};
pub(crate) use shape::{Shape, UnknownKeys};

use crate::diagnostic::Severity;

/// The maximum number of characters of a value in a message.
pub(crate) const MAX_QUOTED: usize = 60;

/// A diagnostic of an object.
pub type Diagnostic = crate::diagnostic::Diagnostic<Code>;

/// The diagnostics of a value so far.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) found: Vec<Diagnostic>,
}

impl Faults {
    /// Reports an error at a JSON pointer and returns the place of its fix.
    pub(crate) fn error(
        &mut self,
        pointer: impl Into<String>,
        code: Code,
        message: impl Into<String>,
    ) -> &mut Option<String> {
        self.report(Severity::Error, pointer.into(), code, message.into())
    }

    /// Reports a warning at a JSON pointer and returns the place of its fix.
    pub(crate) fn warning(
        &mut self,
        pointer: impl Into<String>,
        code: Code,
        message: impl Into<String>,
    ) -> &mut Option<String> {
        self.report(Severity::Warning, pointer.into(), code, message.into())
    }

    fn report(
        &mut self,
        severity: Severity,
        pointer: String,
        code: Code,
        message: String,
    ) -> &mut Option<String> {
        let found = Diagnostic {
            line: 0,
            pointer,
            at: 0,
            code,
            severity,
            message,
            fix: None,
        };
        &mut self.found.push_mut(found).fix
    }

    pub(crate) fn repeated(&mut self, keys: Vec<Repeated>) {
        for Repeated { pointer, name } in keys {
            let name = review_types::excerpt(&name, MAX_QUOTED);
            self.error(pointer, Code::KeyTwice, format!("duplicate key \"{name}\""));
        }
    }

    pub(crate) fn blank(&mut self, pointer: &str, text: &str) {
        if text.trim().is_empty() {
            self.error(pointer, Code::TextBlank, "is blank");
        }
    }

    fn has_error(&self) -> bool {
        self.found.iter().any(Diagnostic::is_error)
    }
}

/// The result of reading a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<T> {
    /// The object, unless a diagnostic is an error.
    pub object: Option<T>,
    /// The diagnostics, in the order of the value.
    pub diagnostics: Vec<Diagnostic>,
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

/// An object with a shape, and rules that a schema cannot express.
pub(crate) trait Shaped: DeserializeOwned {
    fn shape() -> &'static Shape;

    fn rules(&self, faults: &mut Faults);
}

/// An object of the agent learning schema.
pub trait LearningObject: Sized {
    /// Reads a JSON value.
    fn read(value: &Json) -> Reading<Self>;

    /// Reads a JSON document.
    fn parse(text: &[u8]) -> Reading<Self>;
}

impl<T: Shaped> LearningObject for T {
    fn read(value: &Json) -> Reading<Self> {
        let unknown = UnknownKeys::WarnIfSimilar;
        reading(
            value.clone(),
            T::shape(),
            unknown,
            Faults::default(),
            T::rules,
        )
    }

    fn parse(text: &[u8]) -> Reading<Self> {
        let mut faults = Faults::default();
        match serde_json::from_slice(text) {
            Ok(value) => {
                faults.repeated(repeated_keys(text));
                let unknown = UnknownKeys::WarnIfSimilar;
                reading(value, T::shape(), unknown, faults, T::rules)
            }
            Err(error) => {
                faults.error("", Code::Syntax, error.to_string());
                faults.found[0].line = error.line() as u64;
                Reading {
                    object: None,
                    diagnostics: faults.found,
                }
            }
        }
    }
}

/// Reads a value of a shape; `faults` are those that are already known.
pub(crate) fn reading<T: DeserializeOwned>(
    mut value: Json,
    shape: &Shape,
    unknown: UnknownKeys,
    mut faults: Faults,
    rules: impl FnOnce(&T, &mut Faults),
) -> Reading<T> {
    shape.check(&mut value, unknown, &mut faults);
    let mut object = None;
    if !faults.has_error() {
        match serde_path_to_error::deserialize::<_, T>(&value) {
            Ok(read) => {
                rules(&read, &mut faults);
                object = Some(read);
            }
            Err(error) => {
                let pointer: String = error.path().iter().map(pointer_of).collect();
                faults.error(pointer, Code::ValueForm, error.inner().to_string());
            }
        }
    }
    Reading {
        object: object.filter(|_| !faults.has_error()),
        diagnostics: faults.found,
    }
}

fn pointer_of(segment: &Segment) -> String {
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", pointer_part(key)),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    }
}
