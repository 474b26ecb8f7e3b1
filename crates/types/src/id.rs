//! Names and numbers that identify things. None of them converts to another.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// A string that is not a valid name of the requested kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} must be {rule}, got \"{got}\"")]
pub struct IdError {
    /// The kind of the name.
    pub kind: &'static str,
    /// The rule that it violates.
    pub rule: &'static str,
    /// The string itself.
    pub got: String,
}

/// Generates a type for names: validated on construction, and a string in JSON.
#[macro_export]
macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $legal:expr) => {
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$doc])*
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Validates the string and stores it unchanged.
            ///
            /// # Errors
            /// An `IdError` with the rule that the string violates.
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::IdError> {
                let text = text.into();
                let legal: fn(&str) -> bool = $legal;
                if legal(&text) {
                    Ok(Self(text))
                } else {
                    Err($crate::IdError { kind: $kind, rule: $rule, got: text })
                }
            }

            /// Returns the name as a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::IdError;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}
pub(crate) fn is_not_blank(text: &str) -> bool {
    !text.trim().is_empty()
}

pub(crate) fn is_file_name(text: &str) -> bool {
    is_not_blank(text) && text != "." && text != ".." && !text.contains(['/', '\\', '\0'])
}

name_type!(
    /// The name of a criterion, such as `completeness`.
    ///
    /// ```compile_fail
    /// # use review_types::{CriterionName, UnitId};
    /// let unit: UnitId = CriterionName::new("testability").unwrap();
    /// ```
    CriterionName,
    "a criterion name",
    "a string that is not blank",
    is_not_blank
);

name_type!(
    /// The id of a unit: the name of its folder, such as `spec-review`.
    UnitId,
    "a unit id",
    "a file name",
    is_file_name
);

name_type!(
    /// The id of a run: the name of its folder under `runs/`.
    RunId,
    "a run id",
    "a file name",
    is_file_name
);

/// The signs by which a run is shown.
const SHORT: usize = 8;

impl RunId {
    /// The last eight signs, by which users see and name the run.
    pub fn short(&self) -> &str {
        let start = self.0.len().saturating_sub(SHORT);
        self.0.get(start..).unwrap_or(&self.0)
    }
}

name_type!(
    /// The id of a session of the Agent Feedback Protocol, which the requester sends
    /// in each follow-up. It is a valid name of a folder.
    SessionId,
    "a session id",
    "a file name",
    is_file_name
);

/// Returns whether a string is a UUID with its four hyphens, ignoring case.
#[must_use]
pub fn is_uuid(text: &str) -> bool {
    let legal = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(legal)
}

/// Returns random bytes as a UUID of version 4, in lowercase.
#[must_use]
pub fn random_uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let id = format!("{:032x}", u128::from_be_bytes(bytes));
    [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]].join("-")
}

/// The number of a task within its unit, from 1.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct TaskNumber(NonZeroU32);

impl TaskNumber {
    /// Returns the number of a task; `None` for 0.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// Returns the number itself.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for TaskNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_cannot_lead_out_of_its_folder() {
        assert_eq!(SessionId::new("ses_1").unwrap().as_str(), "ses_1");
        for text in ["", " ", ".", "..", "a/b", "../a", "a\\b"] {
            assert!(SessionId::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_uuid_has_its_four_hyphens() {
        let uuid = "0192f3a4-0000-7ABC-8def-0123456789ab";
        assert!(is_uuid(uuid));
        for text in [
            "",
            "0192f3a4",
            &uuid.replace('-', "0"),
            &uuid.replace('f', "g"),
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
