//! The ways of writing that documents can be held to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A way of writing that documents are held to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// None in particular.
    #[default]
    Default,
    /// Requirements follow the patterns of EARS, the Easy Approach to
    /// Requirements Syntax.
    Ears,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Default, Self::Ears];

    /// Its name: `default` or `ears`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Ears => "ears",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{got}\" is no profile; there are `default` and `ears`")]
pub struct UnknownProfile {
    /// The text.
    pub got: String,
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Self, UnknownProfile> {
        let named = |profile: &Self| profile.as_str() == text;
        Self::ALL
            .into_iter()
            .find(named)
            .ok_or_else(|| UnknownProfile {
                got: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_by_their_names() {
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        let error = "Ears".parse::<Profile>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"Ears\" is no profile; there are `default` and `ears`"
        );
    }
}
