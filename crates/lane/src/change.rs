//! What differs between two trees.

use std::path::PathBuf;

use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;

/// The mode of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The entry does not exist.
    Absent,
    /// A file.
    File,
    /// A file that can be run.
    Executable,
    /// A symbolic link.
    Link,
    /// Another repository.
    Repository,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) mode: Mode,
    /// Its object, as git writes it.
    pub(crate) object: String,
}

/// A path whose entries differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    /// The path, relative to the top folder of the repository.
    pub path: PathBuf,
    pub(crate) before: Entry,
    pub(crate) after: Entry,
}

impl Mode {
    /// Reads a mode that git writes. Files of early trees may have further bits.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "000000" => Self::Absent,
            "100755" => Self::Executable,
            "120000" => Self::Link,
            "160000" => Self::Repository,
            _ if word.starts_with("100") => Self::File,
            _ => return None,
        })
    }

    /// As git writes it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "000000",
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Repository => "160000",
        }
    }
}

impl Entry {
    pub(crate) fn exists(&self) -> bool {
        self.mode != Mode::Absent
    }

    pub(crate) fn is_file(&self) -> bool {
        matches!(self.mode, Mode::File | Mode::Executable)
    }
}

impl Lane {
    /// Returns the paths whose entries differ between two trees or commits.
    pub(crate) async fn changed_paths(
        &self,
        before: &str,
        after: &str,
    ) -> Result<Vec<ChangedPath>, LaneError> {
        let pair = self.known().pair([before, after]);
        if let Some(changed) = self.known().diff(&pair) {
            return Ok(changed);
        }
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
        self.known().add_diff(pair, &changed);
        Ok(changed)
    }
}

impl Lane {
    /// Returns what differs between two trees or commits, as a diff for readers. The
    /// attributes are those before: what changes them hides nothing.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, or the diff has too many bytes.
    pub async fn diff(&self, before: &str, after: &str) -> Result<Vec<u8>, LaneError> {
        let words = [
            "diff-tree",
            "-r",
            "-p",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--find-renames",
            before,
            after,
        ];
        let call = self.call().env("GIT_ATTR_SOURCE", before);
        Ok(call.args(words).done().await?.stdout)
    }
}

/// Reads `:100644 100644 OBJECT OBJECT M`.
fn read(entry: &[u8]) -> Option<(Entry, Entry)> {
    let entry = std::str::from_utf8(entry).ok()?.strip_prefix(':')?;
    let mut words = entry.split(' ');
    let (before, after) = (Mode::of(words.next()?)?, Mode::of(words.next()?)?);
    let mut entry = |mode| {
        let object = words.next()?.to_owned();
        Some(Entry { mode, object })
    };
    Some((entry(before)?, entry(after)?))
}
