//! What differs between two trees.

use std::path::PathBuf;

use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;

/// The mode of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// There is no entry.
    Absent,
    /// A file.
    File,
    /// A symbolic link.
    Link,
    /// Another repository.
    Repository,
}

/// An entry of a tree: its mode and object as git writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mode: String,
    pub(crate) object: String,
}

/// A path whose entries differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedPath {
    pub(crate) path: PathBuf,
    pub(crate) before: Entry,
    pub(crate) after: Entry,
}

impl Entry {
    pub(crate) fn kind(&self) -> Mode {
        match self.mode.as_str() {
            "000000" => Mode::Absent,
            "120000" => Mode::Link,
            "160000" => Mode::Repository,
            _ => Mode::File,
        }
    }
}

impl Lane {
    /// Returns the paths whose entries differ between two trees or commits.
    pub(crate) async fn changed_paths(
        &self,
        before: &str,
        after: &str,
    ) -> Result<Vec<ChangedPath>, LaneError> {
        let diff = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            before,
            after,
        ];
        let diff = self.call().args(diff).done().await?;
        let mut strings = diff.strings();
        let mut changed = Vec::new();
        while let (Some(entry), Some(path)) = (strings.next(), strings.next()) {
            let entry = read(entry).ok_or_else(|| diff.unexpected())?;
            changed.push(ChangedPath {
                path: path_of(path),
                before: entry.0,
                after: entry.1,
            });
        }
        Ok(changed)
    }
}

/// Reads `:100644 100644 OBJECT OBJECT M`.
fn read(entry: &[u8]) -> Option<(Entry, Entry)> {
    let entry = std::str::from_utf8(entry).ok()?.strip_prefix(':')?;
    let mut words = entry.split(' ').map(str::to_owned);
    let (before, after) = (words.next()?, words.next()?);
    let entry = |mode, object| Entry { mode, object };
    Some((entry(before, words.next()?), entry(after, words.next()?)))
}
