//! Pieces of what several clients print.

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde::de::{Deserializer, Visitor};

/// A JSON string of a model or a tool. Half of a character, which some clients
/// write where a model was cut off, is replaced and makes nothing unreadable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
        Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}

/// Reads a value that may be `null` where it is usually left out.
pub(crate) fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// The HTTP status that a message names after one of the words `before`.
pub(crate) fn status_after(message: &str, before: &[&str]) -> Option<u16> {
    before.iter().find_map(|word| {
        let (_, rest) = message.split_once(word)?;
        http_status(rest.get(..3)?.parse().ok()?)
    })
}

/// The number as an HTTP status of an error, if it is one.
pub(crate) fn http_status(number: i64) -> Option<u16> {
    let status = u16::try_from(number).ok()?;
    (400..=599).contains(&status).then_some(status)
}

/// The type of an error, in the words of the services.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorType {
    InvalidRequestError,
    AuthenticationError,
    InvalidApiKey,
    PermissionError,
    NotFoundError,
    RateLimitError,
    RateLimitExceeded,
    InsufficientQuota,
    ApiError,
    ServerError,
    OverloadedError,
    /// Nothing that stands for a status.
    #[default]
    #[serde(other)]
    Other,
}

impl ErrorType {
    /// The HTTP status that an error of this type stands for.
    pub(crate) fn status(self) -> Option<u16> {
        match self {
            Self::InvalidRequestError => Some(400),
            Self::AuthenticationError | Self::InvalidApiKey => Some(401),
            Self::PermissionError => Some(403),
            Self::NotFoundError => Some(404),
            Self::RateLimitError | Self::RateLimitExceeded => Some(429),
            Self::InsufficientQuota => Some(402),
            Self::ApiError | Self::ServerError => Some(500),
            Self::OverloadedError => Some(529),
            Self::Other => None,
        }
    }
}

/// The code of an error: a status, or its type.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum ErrorCode {
    Status(i64),
    Type(ErrorType),
    Other(IgnoredAny),
}

impl ErrorCode {
    /// The HTTP status that it names.
    pub(crate) fn status(self) -> Option<u16> {
        match self {
            Self::Status(number) => http_status(number),
            Self::Type(kind) => kind.status(),
            Self::Other(_) => None,
        }
    }
}

/// The part between the first pair of quotes, single or double.
pub(crate) fn quoted(line: &str) -> Option<&str> {
    let start = line.find(['"', '\''])?;
    let quote = line.as_bytes()[start] as char;
    line[start + 1..].split_once(quote).map(|(name, _)| name)
}

/// The line without colours and other control characters.
pub(crate) fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.trim_end().chars();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => {
                // The sequence of a colour ends with its first letter.
                chars.by_ref().find(char::is_ascii_alphabetic);
            }
            '\t' => plain.push(' '),
            _ if char.is_control() => {}
            _ => plain.push(char),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_character_is_replaced() {
        for (json, text) in [
            (&br#""a\nb""#[..], "a\nb"),
            (br#""a\ud83d b""#, "a\u{fffd}\u{fffd}\u{fffd} b"),
            (b"\"a\xffb\"", "a\u{fffd}b"),
            (b"\"plain\"", "plain"),
        ] {
            let read: Text = serde_json::from_slice(json).unwrap();
            assert_eq!(read.0, text);
        }
        for json in ["1", "null", "{}"] {
            assert!(serde_json::from_str::<Text>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_status_is_read_only_where_it_is_named() {
        let words = ["last status: ", "unexpected status "];
        for (message, status) in [
            ("unexpected status 401 Unauthorized", Some(401)),
            ("exceeded retry limit, last status: 429 Too Many", Some(429)),
            ("unexpected status 200", None),
            ("unexpected status 12", None),
            ("unexpected status +40", None),
            ("port 443", None),
            ("last status: \u{e9}\u{e9}", None),
        ] {
            assert_eq!(status_after(message, &words), status, "{message}");
        }
        let numbers = [399, 400, 599, 600, -1].map(http_status);
        assert_eq!(numbers, [None, Some(400), Some(599), None, None]);
    }

    #[test]
    fn the_code_of_an_error_stands_for_a_status() {
        for (json, status) in [
            (r#""invalid_request_error""#, Some(400)),
            (r#""authentication_error""#, Some(401)),
            (r#""invalid_api_key""#, Some(401)),
            (r#""permission_error""#, Some(403)),
            (r#""not_found_error""#, Some(404)),
            (r#""rate_limit_error""#, Some(429)),
            (r#""rate_limit_exceeded""#, Some(429)),
            (r#""insufficient_quota""#, Some(402)),
            (r#""api_error""#, Some(500)),
            (r#""server_error""#, Some(500)),
            (r#""overloaded_error""#, Some(529)),
            (r#""another_error""#, None),
            ("502", Some(502)),
            ("7", None),
            ("{}", None),
            ("1.5", None),
        ] {
            let code: ErrorCode = serde_json::from_str(json).unwrap();
            assert_eq!(code.status(), status, "{json}");
        }
    }

    #[test]
    fn a_line_loses_its_colours_and_nothing_else() {
        for (line, expected) in [
            ("\u{1b}[93m\u{1b}[1m! \u{1b}[0mask: edit\r", "! ask: edit"),
            ("  at\ta \u{7}b", "  at a b"),
            ("a\u{1b}[", "a"),
        ] {
            assert_eq!(plain(line), expected);
        }
    }

    #[test]
    fn a_quoted_name_ends_with_the_quote_that_began_it() {
        assert_eq!(quoted("agent \"it's\" not found"), Some("it's"));
        assert_eq!(quoted("--agent 'nope' not found"), Some("nope"));
        assert_eq!(quoted("a \"b"), None);
        assert_eq!(quoted("none"), None);
    }
}
