//! The name of a branch.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value as Json, json};

use crate::fault::ValueFault;
use crate::value::{Optional, Value, string};

/// The name of a branch. Git decides whether there is such a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchName(String);

/// A string that is not the name of a branch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a valid name of a branch")]
pub struct BranchNameError(String);

impl BranchName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The rules of `git check-ref-format --branch`.
impl FromStr for BranchName {
    type Err = BranchNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        let has_wrong_character = name.contains(|c: char| {
            c.is_ascii_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')
        });
        let is_wrong_part =
            |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
        let is_wrong = has_wrong_character
            || name.split('/').any(is_wrong_part)
            || name.starts_with('-')
            || name.ends_with('.')
            || name.contains("..")
            || name.contains("@{")
            || matches!(name, "@" | "HEAD");
        match is_wrong {
            true => Err(BranchNameError(text.to_owned())),
            false => Ok(Self(name.to_owned())),
        }
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Optional for BranchName {
    const WORD: &'static str = "current";
}

impl Value for BranchName {
    const EXPECTED: &'static str = "a branch";

    fn read(value: &Json) -> Result<Self, ValueFault> {
        string(value)?.parse().map_err(ValueFault::new)
    }

    fn to_json(&self) -> Json {
        json!(self.0)
    }

    fn schema() -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_a_name_that_git_takes() {
        for name in ["main", "ralph/web", "v1.2", "fix-#7", "ä"] {
            assert_eq!(name.parse::<BranchName>().unwrap().as_str(), name);
        }
        for name in [
            "", " ", "a b", "-a", "a..b", "a/", "/a", "a//b", ".a", "a/.b", "a.lock", "a.", "@",
            "a@{1}", "HEAD", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "a\u{7f}",
        ] {
            assert!(name.parse::<BranchName>().is_err(), "{name}");
        }
    }
}
