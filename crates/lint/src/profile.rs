//! The profiles of rules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Rule;

/// A profile: a set of rules for a style of writing.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The common rules.
    #[default]
    Default,
    /// Requirements must match the patterns of EARS, the Easy Approach to Requirements
    /// Syntax.
    Ears,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Default, Self::Ears];

    /// The name: `default` or `ears`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Ears => "ears",
        }
    }

    /// Its rules, including those of the default profile.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        let all = Rule::ALL.iter().copied();
        all.filter(move |&rule| self.has(rule))
    }

    /// Whether it includes a rule.
    pub(crate) fn has(self, rule: Rule) -> bool {
        let of = rule.profile();
        of == Self::Default || of == self
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A string that is not the name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile \"{got}\"; expected `default` or `ears`")]
pub struct UnknownProfile {
    /// The string.
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
    fn a_profile_has_the_rules_of_the_default_one_and_its_own() {
        let default: Vec<_> = Profile::Default.rules().collect();
        assert_eq!(default.len(), Rule::ALL.len() - 2);
        assert!(!default.contains(&Rule::NotEars) && !default.contains(&Rule::WeakModal));
        assert_eq!(Profile::Ears.rules().collect::<Vec<_>>(), Rule::ALL);
    }

    #[test]
    fn profiles_are_read_by_their_names() {
        for profile in Profile::ALL {
            assert_eq!(profile.to_string().parse(), Ok(profile));
        }
        let error = "Ears".parse::<Profile>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown profile \"Ears\"; expected `default` or `ears`"
        );
    }
}
