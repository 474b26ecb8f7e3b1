//! The error of a malformed answer.

use crate::afp::{ErrorCode, ProtocolError};
use serde::{Deserialize, Serialize};

use crate::{AfpKey, Dialect, Field};

/// The first invalid field of an answer, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("schema validation failed: {field} - {message}")]
pub struct SchemaError {
    /// The invalid field.
    pub field: Field,
    /// The error message.
    pub message: String,
    /// The offset in bytes of the error in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// A suggestion for the reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The error code, if the answer is a valid error response of the Agent Feedback
    /// Protocol, which contains no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

impl SchemaError {
    pub(crate) fn new(field: Field, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
            at: None,
            hint: None,
            code: None,
        }
    }

    /// Returns the field as a reviewer that answers in `dialect` knows it, and the message
    /// without that name.
    #[must_use]
    pub fn in_dialect(&self, dialect: Dialect) -> (String, &str) {
        let field = self.field.in_dialect(dialect);
        let name = field.rsplit('.').next().unwrap_or_default();
        let rest = self.message.strip_prefix(name);
        let plain = rest.and_then(|rest| rest.strip_prefix(": "));
        let message = plain.unwrap_or(&self.message);
        (field, message)
    }

    /// Returns an error in a field that a caller found.
    #[must_use]
    pub fn of(field: Field, message: impl Into<String>) -> Self {
        Self::new(field, message)
    }

    pub(crate) fn refused(error: &ProtocolError) -> Self {
        Self {
            code: Some(error.code.clone()),
            ..Self::new(Field::Afp(AfpKey::Error), error.to_string())
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
