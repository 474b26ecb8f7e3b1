//! Content hashes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::hex;

/// A 256-bit content hash (BLAKE3 throughout ralph), serialized as 64
/// lower-case hex digits.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
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

    /// Returns the first 12 hex digits, for display.
    pub fn short(&self) -> String {
        format!("{self:.12}")
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
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

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.to_string()
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
