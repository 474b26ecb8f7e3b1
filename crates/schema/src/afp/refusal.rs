//! Error responses of a provider.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The reason that a request was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The request is malformed, lacks a field, or is out of turn.
    InvalidRequest,
    /// The provider does not review artifacts of this media type.
    UnsupportedMediaType,
    /// The review failed; the request is valid.
    InternalError,
}

impl ErrorCode {
    /// The three codes.
    pub const ALL: [Self; 3] = [
        Self::InvalidRequest,
        Self::UnsupportedMediaType,
        Self::InternalError,
    ];

    /// Returns the code of a word. An unknown word means only that something went
    /// wrong: it counts as an internal error.
    #[must_use]
    pub fn of(word: &str) -> Self {
        let known = Self::ALL.into_iter().find(|code| code.as_str() == word);
        known.unwrap_or(Self::InternalError)
    }

    /// Returns the word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::InternalError => "INTERNAL_ERROR",
        }
    }

    /// Returns whether the same request may succeed next time.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::InternalError => true,
            Self::InvalidRequest | Self::UnsupportedMediaType => false,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The provider's error in place of feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{code}: {message}")]
pub struct ProtocolError {
    /// The code.
    #[serde(deserialize_with = "any_code")]
    pub code: ErrorCode,
    /// The message.
    pub message: String,
}

fn any_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ErrorCode, D::Error> {
    String::deserialize(deserializer).map(|word| ErrorCode::of(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_counts_as_an_internal_error() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::of(code.as_str()), code);
        }
        assert_eq!(ErrorCode::of("invalid_request"), ErrorCode::InternalError);
    }

    #[test]
    fn only_an_internal_error_may_be_retried() {
        assert_eq!(
            ErrorCode::ALL.map(ErrorCode::is_retryable),
            [false, false, true]
        );
    }
}
