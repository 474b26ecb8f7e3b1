//! Numbers with ranges. An integer may be written as `1.0`.

use serde::{Deserialize, Serialize};

/// A number outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("expected {range}, found {got}")]
pub struct NumberRange {
    /// The allowed numbers.
    pub range: &'static str,
    /// The number itself.
    pub got: f64,
}

/// A number from 0 to 1.
#[derive(
    Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(inline, with = "f64", transform = without_format, extend("minimum" = 0, "maximum" = 1))]
pub struct Fraction(f64);

impl Fraction {
    /// The maximum.
    pub const ONE: Self = Self(1.0);

    /// Checks that `value` is between 0 and 1.
    ///
    /// # Errors
    /// [`NumberRange`] when it is not.
    pub fn new(value: f64) -> Result<Self, NumberRange> {
        if (0.0..=1.0).contains(&value) {
            return Ok(Self(value));
        }
        Err(NumberRange {
            range: "number from 0 to 1",
            got: value,
        })
    }

    /// Returns the number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Removes the format of a number, which the published schema does not have.
pub(crate) fn without_format(schema: &mut schemars::Schema) {
    schema.remove("format");
}

/// An integer from 1 to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "u32")]
pub struct WholeNumber<const MAX: u32>(u32);

/// A count from 1; larger numbers than the maximum become the maximum.
pub type Count = WholeNumber<{ u32::MAX }>;

/// The order in which items are addressed, from 1, which comes first, to 10.
pub type Priority = WholeNumber<10>;

impl<const MAX: u32> WholeNumber<MAX> {
    /// The minimum.
    pub const ONE: Self = Self(1);

    /// The maximum.
    pub const LAST: Self = Self(MAX);

    /// Returns the integer; `None` outside 1 to the maximum.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number >= 1 && number <= MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Returns the number itself.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl From<Fraction> for f64 {
    fn from(fraction: Fraction) -> Self {
        fraction.0
    }
}

impl<const MAX: u32> From<WholeNumber<MAX>> for u32 {
    fn from(number: WholeNumber<MAX>) -> Self {
        number.0
    }
}

impl TryFrom<f64> for Fraction {
    type Error = NumberRange;

    fn try_from(value: f64) -> Result<Self, NumberRange> {
        Self::new(value)
    }
}

impl<const MAX: u32> TryFrom<f64> for WholeNumber<MAX> {
    type Error = NumberRange;

    fn try_from(value: f64) -> Result<Self, NumberRange> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an integer from 1, and the cast saturates"
        )]
        let number = Self::new(value as u32).filter(|_| value.fract() == 0.0);
        number.ok_or(NumberRange {
            range: match MAX {
                u32::MAX => "integer from 1",
                _ => "integer from 1 to 10",
            },
            got: value,
        })
    }
}

impl<const MAX: u32> schemars::JsonSchema for WholeNumber<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("From1To{MAX}").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = schemars::json_schema!({ "type": "integer", "minimum": 1 });
        if MAX < u32::MAX {
            schema.insert("maximum".to_owned(), MAX.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn a_fraction_is_between_0_and_1() {
        for (text, expected) in [("0", 0.0), ("1", 1.0), ("0.25", 0.25), ("-0.0", 0.0)] {
            assert_eq!(read::<Fraction>(text).map(Fraction::get), Some(expected));
        }
        for text in ["-0.1", "1.5", "2", "-1", "null", "\"1\""] {
            assert_eq!(read::<Fraction>(text), None, "{text}");
        }
        assert_eq!(
            Fraction::new(f64::NAN).unwrap_err().to_string(),
            "expected number from 0 to 1, found NaN"
        );
    }

    #[test]
    fn integers_may_have_an_empty_fraction() {
        for (text, expected) in [("1", 1), ("7.0", 7), ("1e3", 1000), ("1e30", u32::MAX)] {
            assert_eq!(
                read::<Count>(text).map(Count::get),
                Some(expected),
                "{text}"
            );
        }
        for text in ["0", "-1", "1.5", "0.5", "null", "true"] {
            assert_eq!(read::<Count>(text), None, "{text}");
        }
        for (text, expected) in [
            ("1", Some(1)),
            ("10.0", Some(10)),
            ("11", None),
            ("0", None),
        ] {
            assert_eq!(
                read::<Priority>(text).map(Priority::get),
                expected,
                "{text}"
            );
        }
        assert_eq!((Count::new(0), Priority::new(0)), (None, None));
        assert_eq!(Priority::new(11), None);
    }

    #[test]
    fn numbers_are_serialized_unchanged() {
        let json = |value| serde_json::to_string(&value).unwrap();
        assert_eq!(json(Fraction::ONE), "1.0");
        assert_eq!(serde_json::to_string(&Priority::LAST).unwrap(), "10");
        assert_eq!(serde_json::to_string(&Count::ONE).unwrap(), "1");
    }
}
