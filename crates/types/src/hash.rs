//! Content hashes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

/// A 256-bit content hash (BLAKE3 throughout ralph), serialized as 64
/// lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    /// Wraps the bytes of a hash.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn digits(&self) -> Digits {
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 0xf)];
        }
        Digits(digits)
    }

    /// Returns the first 12 hex digits, for display.
    pub fn short(&self) -> String {
        format!("{self:.12}")
    }
}

/// The hex digits of a hash.
struct Digits([u8; 64]);

impl Digits {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The digits of a number below 16.
const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.digits().as_str())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.short())
    }
}

/// A string that is not 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash must be 64 lower-case hex digits, got \"{0}\"")]
pub struct HashParseError(pub String);

impl FromStr for Hash {
    type Err = HashParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || HashParseError(text.to_owned());
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return Err(error());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let pair = u8::from_str_radix(&text[2 * at..2 * at + 2], 16);
            *byte = pair.map_err(|_| error())?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Hash {
    type Error = HashParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

// A journal holds tens of hashes a round, so that none is printed through a `String`.
impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.digits().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_serialized_as_64_digits_and_parsed_again() {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&[0x01, 0xaf, 0xf0, 0x9e]);
        let hash = Hash::from_bytes(bytes);
        let text = format!("01aff09e{}", "0".repeat(56));
        assert_eq!(hash.to_string(), text);
        assert_eq!(serde_json::to_value(hash).unwrap(), text);
        assert_eq!(text.parse(), Ok(hash));
        assert_eq!(hash.short(), "01aff09e0000");
    }

    #[test]
    fn an_invalid_hash_is_refused() {
        for text in [
            "",
            &"0".repeat(63),
            &"0".repeat(65),
            &"A".repeat(64),
            &"g".repeat(64),
        ] {
            assert_eq!(text.parse::<Hash>(), Err(HashParseError(text.to_owned())));
        }
    }
}
