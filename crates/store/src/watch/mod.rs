//! What the system reports of changed files, so that not all of them are looked at after
//! each of many commands.
//!
//! A report is a reason to look at a file again, never a result. Reports can be missing:
//! a file may be written by another computer, or through memory that it is mapped to. So
//! only local file systems are watched, and all files are looked at from time to time: as
//! often as it costs no more than a few files per look.

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use inotify::Watched;
#[cfg(not(target_os = "linux"))]
use unsupported::Watched;

/// The number of files that a look may cost on average. A tree with no more files is
/// looked at as a whole each time.
const FILES_PER_LOOK: usize = 32;

/// The maximum number of files that are watched, each of which takes memory of the system.
const MAX_FILES: usize = 20_000;

/// An entry that may have changed. Its path is relative to the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
}

/// A watch on the files of a tree, and on the folders that they are in.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    watched: Option<Watched>,
    /// Whether everything is watched.
    is_whole: bool,
    /// The number of looks since all files were looked at.
    looks: usize,
}

impl Watch {
    /// Whether so many files are watched.
    pub(crate) const fn suits(files: usize) -> bool {
        FILES_PER_LOOK < files && files <= MAX_FILES
    }

    /// Whether everything is watched.
    pub(crate) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the entries that may have changed since the last time; `None` if all
    /// `files` of the tree must be looked at.
    pub(crate) fn changes(&mut self, files: usize) -> Option<BTreeSet<Change>> {
        self.looks += 1;
        if self.looks.saturating_mul(FILES_PER_LOOK) >= files {
            return None;
        }
        let watched = self.watched.as_mut().filter(|_| self.is_whole)?;
        let changes = watched.changes();
        self.is_whole = changes.is_some();
        changes
    }

    /// Watches exactly these folders below `root` and those above them, and no file yet;
    /// relative paths. It has to precede the list of the files.
    pub(crate) fn start(&mut self, root: &Path, folders: impl IntoIterator<Item = PathBuf>) {
        let mut wanted = BTreeSet::from([PathBuf::new()]);
        for folder in folders {
            let mut above = folder.as_path();
            while !wanted.contains(above) {
                wanted.insert(above.to_owned());
                above = above.parent().unwrap_or(Path::new(""));
            }
        }
        let watched = self.watched.take().or_else(|| Watched::of(root));
        self.watched = watched.and_then(|watched| watched.renew(wanted));
        self.is_whole = self.watched.is_some();
    }

    /// Watches the file at a path, which need not exist. It has to precede a look at it.
    pub(crate) fn follow(&mut self, path: &Path) {
        if let Some(watched) = self.watched.as_mut().filter(|_| self.is_whole) {
            self.is_whole = watched.follow(path);
        }
    }

    /// Notes that all files are looked at.
    pub(crate) const fn looks_at_all(&mut self) {
        self.looks = 0;
    }

    /// Stops: the folders to watch are other ones.
    pub(crate) const fn stop(&mut self) {
        self.is_whole = false;
    }
}
