//! Why an answer could not be read.

use serde::{Deserialize, Serialize};

use crate::Field;

/// The first field of an answer that fails, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("schema validation failed: {field} - {message}")]
pub struct SchemaError {
    /// The field that fails.
    pub field: Field,
    /// What is wrong with it.
    pub message: String,
    /// The byte of the answer at which it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// What the reviewer could do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl SchemaError {
    pub(crate) fn new(field: Field, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
            at: None,
            hint: None,
        }
    }

    pub(crate) fn json(message: impl Into<String>) -> Self {
        Self::new(Field::Json, message)
    }

    pub(crate) fn at(mut self, at: usize) -> Self {
        self.at = Some(at);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
