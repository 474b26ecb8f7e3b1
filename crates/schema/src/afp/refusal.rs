//! Error responses of a provider.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The reason that a request was not answered.
///
/// The protocol defines three codes and allows others, which mean only that something went
/// wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
#[schemars(
    inline,
    with = "String",
    extend("examples" = ["INVALID_REQUEST", "UNSUPPORTED_MEDIA_TYPE", "INTERNAL_ERROR"])
)]
pub struct ErrorCode(Cow<'static, str>);

impl ErrorCode {
    /// The request is malformed, lacks a field, or is out of turn.
    pub const INVALID_REQUEST: Self = Self(Cow::Borrowed("INVALID_REQUEST"));

    /// The provider does not review artifacts of this media type.
    pub const UNSUPPORTED_MEDIA_TYPE: Self = Self(Cow::Borrowed("UNSUPPORTED_MEDIA_TYPE"));

    /// The review failed; the request is valid.
    pub const INTERNAL_ERROR: Self = Self(Cow::Borrowed("INTERNAL_ERROR"));

    /// Returns the word in JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the same request may succeed next time.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        ![Self::INVALID_REQUEST, Self::UNSUPPORTED_MEDIA_TYPE].contains(self)
    }
}

impl From<String> for ErrorCode {
    fn from(word: String) -> Self {
        Self(word.into())
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
        }
    }

    #[test]
    fn only_an_internal_or_an_unknown_error_may_be_retried() {
        let known = [
            ErrorCode::INVALID_REQUEST,
            ErrorCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::INTERNAL_ERROR,
        ];
        assert_eq!(known.map(|code| code.is_retryable()), [false, false, true]);
        assert!(ErrorCode::from("BUSY".to_owned()).is_retryable());
    }
}
