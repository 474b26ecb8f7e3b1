//! Error responses of a provider.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason that a request was not answered.
///
/// The protocol defines three codes and allows others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(
    inline,
    with = "String",
    extend("examples" = ["INVALID_REQUEST", "UNSUPPORTED_MEDIA_TYPE", "INTERNAL_ERROR"])
)]
pub enum ErrorCode {
    /// The request is malformed, lacks a field, or is out of turn.
    InvalidRequest,
    /// The provider does not review artifacts of this media type.
    UnsupportedMediaType,
    /// The review failed; the request is valid.
    InternalError,
    /// A code of the provider, which means only that something went wrong.
    Other(String),
}

impl ErrorCode {
    /// The three codes of the protocol.
    pub const KNOWN: [Self; 3] = [
        Self::InvalidRequest,
        Self::UnsupportedMediaType,
        Self::InternalError,
    ];

    /// Returns the word in JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::InternalError => "INTERNAL_ERROR",
            Self::Other(word) => word,
        }
    }

    /// Returns whether the same request may succeed next time.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::InternalError | Self::Other(_) => true,
            Self::InvalidRequest | Self::UnsupportedMediaType => false,
        }
    }
}

impl From<String> for ErrorCode {
    fn from(word: String) -> Self {
        let known = Self::KNOWN.into_iter().find(|code| code.as_str() == word);
        known.unwrap_or(Self::Other(word))
    }
}

impl From<ErrorCode> for String {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::Other(word) => word,
            known => known.as_str().to_owned(),
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The provider's error in place of feedback.
#[derive(
    Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, schemars::JsonSchema,
)]
#[error("{}", self.words())]
pub struct ProtocolError {
    /// The reason. The protocol defines the codes listed as examples and allows
    /// others.
    pub code: ErrorCode,
    /// The message.
    pub message: String,
}

impl ProtocolError {
    /// What was reported, in one line; either part may be empty.
    fn words(&self) -> String {
        let (code, message) = (self.code.as_str().trim(), self.message.trim());
        match (code.is_empty(), message.is_empty()) {
            (false, false) => format!("{code}: {message}"),
            (false, true) => format!("{code}, without a message"),
            (true, false) => format!("an error without a code: {message}"),
            (true, true) => "an error without a code or a message".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_with_an_empty_part_says_so() {
        for (code, message, words) in [
            ("BUSY", "m", "BUSY: m"),
            ("BUSY", " ", "BUSY, without a message"),
            ("", "m", "an error without a code: m"),
            (" ", "", "an error without a code or a message"),
        ] {
            let error = ProtocolError {
                code: ErrorCode::from(code.to_owned()),
                message: message.to_owned(),
            };
            assert_eq!(error.to_string(), words);
        }
    }

    #[test]
    fn an_unknown_code_keeps_its_name() {
        for word in [
            "INVALID_REQUEST",
            "UNSUPPORTED_MEDIA_TYPE",
            "INTERNAL_ERROR",
            "BUSY",
        ] {
            let code: ErrorCode = serde_json::from_value(word.into()).unwrap();
            assert_eq!(code.as_str(), word);
            assert_eq!(serde_json::to_value(&code).unwrap(), word);
            assert_eq!(ErrorCode::KNOWN.contains(&code), word != "BUSY");
        }
    }

    #[test]
    fn only_an_internal_or_an_unknown_error_may_be_retried() {
        assert_eq!(
            ErrorCode::KNOWN.map(|code| code.is_retryable()),
            [false, false, true]
        );
        assert!(ErrorCode::from("BUSY".to_owned()).is_retryable());
    }
}
