//! Numbers with ranges. A whole number may be written as `1.0`.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// A number outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("must be {range}, got {got}")]
pub struct NumberRange {
    /// The numbers that would do.
    pub range: &'static str,
    /// The number itself.
    pub got: f64,
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(f64);

impl Fraction {
    /// The greatest one.
    pub const ONE: Self = Self(1.0);

    /// Checks that `value` lies between 0 and 1.
    ///
    /// # Errors
    /// [`NumberRange`] when it does not.
    pub fn new(value: f64) -> Result<Self, NumberRange> {
        if (0.0..=1.0).contains(&value) {
            return Ok(Self(value));
        }
        Err(NumberRange {
            range: "from 0 to 1",
            got: value,
        })
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A count from 1 on; what is greater than any count of ours is held at the
/// greatest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(u32);

impl Count {
    /// The first one.
    pub const ONE: Self = Self(1);

    /// The count of a number; `None` for 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 {
            None
        } else {
            Some(Self(number))
        }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The order in which items are addressed, from 1, which comes first, to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// The one that comes last.
    pub const LAST: Self = Self(10);

    /// The priority of a number; `None` outside 1 to 10.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= Self::LAST.0 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The number itself.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl Serialize for Priority {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

/// A number in whatever form it is written.
struct Number;

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    #[expect(clippy::cast_precision_loss, reason = "every range here is small")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "every range here is small")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// A whole number from 1 on, held at the greatest one.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = deserializer.deserialize_any(Number)?;
    if value < 1.0 || value.fract() != 0.0 {
        let range = "a whole number from 1 on";
        return Err(de::Error::custom(NumberRange { range, got: value }));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 1 on, and the cast saturates"
    )]
    Ok(value as u32)
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = deserializer.deserialize_any(Number)?;
        Self::new(value).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        whole(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = whole(deserializer)?;
        let priority = u8::try_from(number).ok().and_then(Self::new);
        priority.ok_or_else(|| {
            de::Error::custom(NumberRange {
                range: "a whole number from 1 to 10",
                got: f64::from(number),
            })
        })
    }
}

#[cfg(feature = "schema")]
macro_rules! number_schema {
    ($name:ident, $schema:tt) => {
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

/// Any number, for a schema without a format of its own.
#[cfg(feature = "schema")]
pub(super) struct AnyNumber;

#[cfg(feature = "schema")]
number_schema!(AnyNumber, { "type": "number" });
#[cfg(feature = "schema")]
number_schema!(Fraction, { "type": "number", "minimum": 0, "maximum": 1 });
#[cfg(feature = "schema")]
number_schema!(Count, { "type": "integer", "minimum": 1 });
#[cfg(feature = "schema")]
number_schema!(Priority, { "type": "integer", "minimum": 1, "maximum": 10 });

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn a_fraction_lies_between_0_and_1() {
        for (text, expected) in [("0", 0.0), ("1", 1.0), ("0.25", 0.25), ("-0.0", 0.0)] {
            assert_eq!(read::<Fraction>(text).map(Fraction::get), Some(expected));
        }
        for text in ["-0.1", "1.5", "2", "-1", "null", "\"1\""] {
            assert_eq!(read::<Fraction>(text), None, "{text}");
        }
        assert_eq!(
            Fraction::new(f64::NAN).unwrap_err().to_string(),
            "must be from 0 to 1, got NaN"
        );
    }

    #[test]
    fn whole_numbers_may_have_an_empty_fraction() {
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
    fn numbers_are_written_as_they_are() {
        let json = |value| serde_json::to_string(&value).unwrap();
        assert_eq!(json(Fraction::ONE), "1.0");
        assert_eq!(serde_json::to_string(&Priority::LAST).unwrap(), "10");
        assert_eq!(serde_json::to_string(&Count::ONE).unwrap(), "1");
    }
}
