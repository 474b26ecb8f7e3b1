//! Numbers of bytes in the configuration.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::value::{Value, string};

/// A number of bytes, such as `5GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize(pub u64);

/// The units, the largest first.
const UNITS: [(&str, u64); 5] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |(_, size): &&(&str, u64)| self.0 >= *size && self.0.is_multiple_of(*size);
        let (unit, size) = UNITS.iter().find(fits).unwrap_or(&("B", 1));
        write!(f, "{}{unit}", self.0 / size)
    }
}

impl FromStr for ByteSize {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim_start();
        let (_, size) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(())?;
        let number: u64 = number.parse().map_err(|_| ())?;
        number.checked_mul(*size).map(Self).ok_or(())
    }
}

impl Value for ByteSize {
    const EXPECTED: &'static str = "a number of bytes such as 500MiB or 5GiB";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        string(value)?.parse().map_err(|()| ValueFault::Form)
    }

    fn to_json(&self) -> Json {
        json!(self.to_string())
    }

    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^[0-9]+ ?([KMGT]i)?B$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_and_is_written_with_the_largest_that_fits() {
        for (text, size, written) in [
            ("5GiB", 5 << 30, "5GiB"),
            ("1024 MiB", 1 << 30, "1GiB"),
            ("1500B", 1500, "1500B"),
            ("0B", 0, "0B"),
        ] {
            let read = ByteSize::read(&json!(text)).unwrap();
            assert_eq!((read.0, read.to_string()), (size, written.to_owned()));
        }
        for wrong in [
            json!("5"),
            json!("5GB"),
            json!(5),
            json!("GiB"),
            json!("99999999TiB"),
        ] {
            assert_eq!(ByteSize::read(&wrong), Err(ValueFault::Form), "{wrong}");
        }
    }
}
