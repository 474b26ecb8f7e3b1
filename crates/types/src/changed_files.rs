//! Changed files in a message.

use std::fmt;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::plural;

/// Maximum number of files that are listed.
const MAX_NAMED: usize = 16;

/// Files that differ: the first ones by path, and the number of the
/// others, so that records and messages stay small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFiles {
    found: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<NonZeroUsize>,
}

impl From<Vec<String>> for ChangedFiles {
    fn from(mut found: Vec<String>) -> Self {
        let more = NonZeroUsize::new(found.len().saturating_sub(MAX_NAMED));
        found.truncate(MAX_NAMED);
        Self { found, more }
    }
}

/// `a.md, b.md`, and for more files `a.md, b.md and 3 more files`.
impl fmt::Display for ChangedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.found.join(", "))?;
        match self.more {
            None => Ok(()),
            Some(more) => write!(f, " and {}", plural(more.get(), "more file", "more files")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number:02}.md")).collect()
    }

    #[test]
    fn sixteen_files_are_listed_and_the_others_counted() {
        let all = paths(16).join(", ");
        for (count, expected) in [
            (1, "00.md".to_owned()),
            (16, all.clone()),
            (17, format!("{all} and 1 more file")),
            (1016, format!("{all} and 1000 more files")),
        ] {
            let changed = ChangedFiles::from(paths(count));
            assert_eq!(changed.to_string(), expected);
            let json = serde_json::to_value(&changed).unwrap();
            assert_eq!(json.get("more").is_some(), count > 16);
            let read: ChangedFiles = serde_json::from_value(json).unwrap();
            assert_eq!(read, changed);
        }
    }
}
