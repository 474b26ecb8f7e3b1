//! Scalars and the YAML 1.2 core schema: `yes` is a string, `0o17` a number.

use std::borrow::Cow;

/// A single value: its content, style and type.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar<'a> {
    /// The value after unquoting, unescaping and folding.
    pub text: Cow<'a, str>,
    /// Its style.
    pub style: Style,
    /// Its type.
    pub kind: Kind,
}

/// The style of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    SingleQuoted,
    /// In double quotes.
    DoubleQuoted,
    /// As a `|` or `>` block.
    Block,
}

/// The type of a scalar in the YAML 1.2 core schema; numbers are decimal and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a fraction, or an integer beyond 64 bits.
    Float(f64),
    /// Anything else.
    Text,
}

impl Scalar<'_> {
    /// Returns the scalar for an absent value.
    pub(super) fn null() -> Self {
        Self {
            text: Cow::Borrowed(""),
            style: Style::Plain,
            kind: Kind::Null,
        }
    }
}

impl Kind {
    /// Returns the type of an untagged plain scalar.
    pub(super) fn of_plain(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            _ if text.starts_with(|first| matches!(first, '0'..='9' | '+' | '-' | '.')) => {
                integer(text).or_else(|| float(text)).unwrap_or(Self::Text)
            }
            _ => Self::Text,
        }
    }
}

fn integer(text: &str) -> Option<Kind> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal.then(|| text.parse().ok().map(Kind::Int))?
}

fn float(text: &str) -> Option<Kind> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let has_digit = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    let legal = unsigned
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !has_digit || !legal || unsigned.starts_with(['+', '-']) {
        return None;
    }
    text.parse().ok().map(Kind::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema_with_decimal_numbers() {
        for (text, kind) in [
            ("", Kind::Null),
            ("~", Kind::Null),
            ("NULL", Kind::Null),
            ("nil", Kind::Text),
            ("true", Kind::Bool(true)),
            ("FALSE", Kind::Bool(false)),
            ("yes", Kind::Text),
            ("on", Kind::Text),
            ("0", Kind::Int(0)),
            ("07", Kind::Int(7)),
            ("-3", Kind::Int(-3)),
            ("+3", Kind::Int(3)),
            ("0x1F", Kind::Text),
            ("0o17", Kind::Text),
            ("0x", Kind::Text),
            ("0xG", Kind::Text),
            ("0x-1", Kind::Text),
            ("-", Kind::Text),
            ("1_0", Kind::Text),
            ("1.5", Kind::Float(1.5)),
            (".5", Kind::Float(0.5)),
            ("-1e3", Kind::Float(-1000.0)),
            ("99999999999999999999", Kind::Float(1e20)),
            (".inf", Kind::Text),
            (".nan", Kind::Text),
            ("inf", Kind::Text),
            ("+nan", Kind::Text),
            ("1.2.3", Kind::Text),
            ("--1", Kind::Text),
            (".", Kind::Text),
            ("90s", Kind::Text),
            ("01-types", Kind::Text),
        ] {
            assert_eq!(Kind::of_plain(text), kind, "{text}");
        }
    }
}
