//! Why an answer could not be read.

use crate::afp::{ErrorCode, ProtocolError};
use serde::{Deserialize, Serialize};

use crate::{AfpKey, Field};

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
    /// The code of the answer, where it is an error of the Agent Feedback
    /// Protocol: it can be read, and says that there is no review.
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

    pub(crate) fn refused(error: &ProtocolError) -> Self {
        Self {
            code: Some(error.code),
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
