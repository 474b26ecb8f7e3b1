//! Names of objects in a git repository.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Defines the name of a kind of object.
macro_rules! object_name {
    ($name:ident, $what:literal) => {
        #[doc = concat!("The name of ", $what, ": 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.")]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Returns the hex digits.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns the first 10 digits, for display.
            pub fn short(&self) -> &str {
                &self.0[..10]
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ObjectNameError;

            fn from_str(digits: &str) -> Result<Self, Self::Err> {
                checked(digits).map(|digits| Self(digits.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ObjectNameError;

            fn try_from(digits: String) -> Result<Self, Self::Error> {
                digits.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

object_name!(CommitId, "a commit");
object_name!(TreeId, "a tree");

/// A string that is not the name of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 40 or 64 lower-case hex digits, found {0:?}")]
pub struct ObjectNameError(String);

fn checked(digits: &str) -> Result<&str, ObjectNameError> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match digits.len() {
        40 | 64 if digits.bytes().all(is_digit) => Ok(digits),
        _ => Err(ObjectNameError(digits.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_40_or_64_lower_case_hex_digits() {
        for (digits, is_name) in [
            ("a".repeat(40), true),
            ("0".repeat(64), true),
            ("a".repeat(39), false),
            ("A".repeat(40), false),
            ("g".repeat(40), false),
            (String::new(), false),
        ] {
            assert_eq!(digits.parse::<CommitId>().is_ok(), is_name, "{digits}");
        }
    }
}
