//! Ids of entries and lessons.

use review_types::{excerpt, is_uuid, random_uuid};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::object::MAX_QUOTED;

/// A UUID in lowercase.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String")]
#[schemars(extend("format" = "uuid"))]
pub struct Id(String);

/// A string that is not a UUID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a UUID, found \"{0}\"")]
pub struct InvalidUuid(pub String);

impl Id {
    /// Returns the id that random bytes are, or the hash of a key.
    pub fn of_bytes(bytes: [u8; 16]) -> Self {
        Self(random_uuid(bytes))
    }

    /// Returns the id as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Id {
    type Err = InvalidUuid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if is_uuid(text) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(InvalidUuid(excerpt(text, MAX_QUOTED)))
        }
    }
}

impl TryFrom<String> for Id {
    type Error = InvalidUuid;

    fn try_from(text: String) -> Result<Self, InvalidUuid> {
        text.parse()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_lowercase_uuid() {
        let id: Id = "0192F0C1-2d3e-7a4b-8c5d-6e7f8091a2b3".parse().unwrap();
        assert_eq!(id.to_string(), "0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3");
        assert_eq!(id.as_str(), id.to_string());
        let error = "uuid-1".parse::<Id>().unwrap_err();
        assert_eq!(error.to_string(), "expected a UUID, found \"uuid-1\"");
    }
}
