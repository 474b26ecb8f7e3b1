//! Amounts of money.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of millionths in a US dollar.
const MICRO: u64 = 1_000_000;

/// The number of decimals of a dollar.
const DECIMALS: usize = 6;

/// An amount of US dollars, exact to the millionth. In JSON it is a string such
/// as `"2.50"`; a number of dollars is accepted as well.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(try_from = "Written", into = "String")]
#[schemars(with = "Written")]
pub struct Usd(u64);

/// An amount as users write it.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a number of US dollars such as 2.5, with at most six decimals"
)]
enum Written {
    #[schemars(extend("minimum" = 0))]
    Number(f64),
    #[schemars(extend("pattern" = "^[0-9]+([.][0-9]{1,6})?$"))]
    Text(String),
}

/// A string that is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of US dollars such as 2.5, with at most six decimals")]
pub struct UsdError;

impl Usd {
    /// Returns an amount in millionths of a dollar.
    #[must_use]
    pub const fn from_micro(micro: u64) -> Self {
        Self(micro)
    }

    /// Returns the amount in millionths of a dollar.
    pub const fn micro(self) -> u64 {
        self.0
    }
}

impl FromStr for Usd {
    type Err = UsdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(decimals) || decimals.len() > DECIMALS {
            return Err(UsdError);
        }
        let whole: u64 = whole.parse().map_err(|_| UsdError)?;
        let micro: u64 = format!("{decimals:0<DECIMALS$}")
            .parse()
            .map_err(|_| UsdError)?;
        let sum = whole
            .checked_mul(MICRO)
            .and_then(|whole| whole.checked_add(micro));
        sum.map(Self).ok_or(UsdError)
    }
}

impl TryFrom<Written> for Usd {
    type Error = UsdError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        match written {
            Written::Number(number) => number.to_string().parse(),
            Written::Text(text) => text.parse(),
        }
    }
}

impl From<Usd> for String {
    fn from(amount: Usd) -> Self {
        amount.to_string()
    }
}

/// Formats dollars, with cents and as many further decimals as needed.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % MICRO);
        let cents = decimals.trim_end_matches('0');
        write!(f, "{}.{cents:0<2}", self.0 / MICRO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_exact_to_the_millionth() {
        for (text, micro, written) in [
            ("0", 0, "0.00"),
            ("2", 2_000_000, "2.00"),
            ("2.5", 2_500_000, "2.50"),
            ("0.000001", 1, "0.000001"),
            ("10.125000", 10_125_000, "10.125"),
        ] {
            let amount: Usd = text.parse().unwrap();
            assert_eq!(
                (amount.micro(), amount.to_string()),
                (micro, written.to_owned())
            );
        }
        assert_eq!(Usd::from_micro(5).micro(), 5);
    }

    #[test]
    fn json_has_a_string_or_a_number_of_dollars() {
        for (json, written) in [
            ("3", "\"3.00\""),
            ("0.000001", "\"0.000001\""),
            ("\"2.5\"", "\"2.50\""),
        ] {
            let amount: Usd = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&amount).unwrap(), written);
        }
        for json in ["-1", "0.0000001", "1e20", "true", "[1]", "\"x\""] {
            let error = serde_json::from_str::<Usd>(json).unwrap_err();
            assert!(
                error.to_string().starts_with(&UsdError.to_string()),
                "{json}"
            );
        }
    }

    #[test]
    fn anything_else_is_not_an_amount() {
        for text in [
            "",
            ".5",
            "1.",
            "-1",
            "1e3",
            "1,5",
            "0.0000001",
            "99999999999999",
            "NaN",
        ] {
            assert_eq!(text.parse::<Usd>(), Err(UsdError), "{text}");
        }
    }
}
