//! Paths below the root.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A path below the root, with `/` as the separator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
pub struct StoragePath(String);

/// A path that leads out of the root or is the root itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a path below the root, found \"{0}\"")]
pub struct StoragePathError(String);

impl StoragePath {
    /// A constant folder that is known to be below the root.
    pub(super) fn below(text: &'static str) -> Self {
        debug_assert!(text.parse::<Self>().is_ok(), "{text} is below the root");
        Self(text.to_owned())
    }

    /// Returns the path as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StoragePath {
    type Err = StoragePathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
        let is_below = parts.clone().next().is_some() && parts.all(|part| part != "..");
        if is_below && !text.starts_with('/') && !text.contains('\0') {
            Ok(Self(text.to_owned()))
        } else {
            Err(StoragePathError(text.to_owned()))
        }
    }
}

impl fmt::Display for StoragePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_below_the_root() {
        for text in [".aiwg/.feedback/", "a", "./a//b", "a..b/...", "~"] {
            assert_eq!(text.parse::<StoragePath>().unwrap().as_str(), text);
        }
        for text in ["", ".", "./", "/tmp", "../../etc", "a/../b", "a/..", "a\0"] {
            assert!(text.parse::<StoragePath>().is_err(), "{text:?}");
        }
    }
}
