//! Paths below the root.

use std::fmt;

use review_types::excerpt;
use serde::{Deserialize, Serialize};

use crate::object::MAX_QUOTED;

/// A path below the root, with `/` as the separator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
pub struct StoragePath(String);

/// A path that leads out of the root or is the root itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a path below the root, found \"{0}\"")]
pub struct StoragePathError(String);

impl StoragePath {
    /// A constant folder that is known to be below the root.
    pub(super) fn below(text: &'static str) -> Self {
        debug_assert!(is_below_root(text), "{text} is below the root");
        Self(text.to_owned())
    }

    /// Returns the path as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for StoragePath {
    type Error = StoragePathError;

    fn try_from(text: String) -> Result<Self, StoragePathError> {
        if is_below_root(&text) {
            Ok(Self(text))
        } else {
            Err(StoragePathError(excerpt(&text, MAX_QUOTED)))
        }
    }
}

fn is_below_root(text: &str) -> bool {
    let mut parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_below = parts.clone().next().is_some() && parts.all(|part| part != "..");
    is_below && !text.starts_with('/') && !text.contains('\0')
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
            let path = StoragePath::try_from(text.to_owned()).unwrap();
            assert_eq!(path.as_str(), text);
        }
        for text in ["", ".", "./", "/tmp", "../../etc", "a/../b", "a/..", "a\0"] {
            let path = StoragePath::try_from(text.to_owned());
            assert!(path.is_err(), "{text:?}");
        }
    }
}
