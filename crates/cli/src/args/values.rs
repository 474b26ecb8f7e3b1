//! Values that more than one option takes.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use review_agents::{BackendError, Chain};
use review_types::{TaskNumber, UnknownWord, Usd, UsdError};

/// Reads one of the words of a closed list.
pub(crate) fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownWord> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

/// Reads an integer from 1 that fits in 32 bits.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn count(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| format!("must be an integer from 1 to {}", u32::MAX))
}

/// Reads an integer.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "must be an integer".to_owned())
}

/// Reads the number of a task.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn task_number(text: &str) -> Result<TaskNumber, &'static str> {
    let number = text.parse().ok().and_then(TaskNumber::new);
    number.ok_or("must be the number of a task")
}

/// Reads an amount of US dollars above 0.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn amount(text: &str) -> Result<Usd, String> {
    let amount: Usd = text.parse().map_err(|error: UsdError| error.to_string())?;
    let wrong = || "must be above 0".to_owned();
    (amount.micro() > 0).then_some(amount).ok_or_else(wrong)
}

/// Who implements tasks, if anybody does.
#[derive(Clone, Debug)]
pub(crate) struct Implementer(pub(crate) Option<Chain>);

impl fmt::Display for Implementer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(backend) => backend.fmt(f),
            None => f.write_str("none"),
        }
    }
}

impl FromStr for Implementer {
    type Err = BackendError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "none" => Ok(Self(None)),
            chain => chain.parse().map(|chain| Self(Some(chain))),
        }
    }
}

/// Reads the number of a version, as `2` or `v2`.
///
/// # Errors
/// The message says what is expected.
pub(crate) fn version(text: &str) -> Result<NonZeroU32, &'static str> {
    let number = text.strip_prefix('v').unwrap_or(text).parse();
    number.map_err(|_| "must be the number of a version, such as 2 or v2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_a_number_with_or_without_v() {
        for (text, expected) in [("v2", 2), ("12", 12), ("v1", 1)] {
            assert_eq!(version(text).unwrap().get(), expected);
        }
        for text in ["", "v", "v0", "0", "-1", "vv1", "V1", "1.0", "4294967296"] {
            let why = "must be the number of a version, such as 2 or v2";
            assert_eq!(version(text), Err(why), "{text}");
        }
    }
}
