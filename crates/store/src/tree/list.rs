//! The list of the files of a tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::{Root, StateDir, WalkError, walk};

/// The files of a tree, relative to its root, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(Vec<PathBuf>);

impl FileList {
    /// Parses the output of `git ls-files -z`, run in the root. Paths out of the root
    /// are left out.
    pub fn from_git(output: &[u8]) -> Self {
        output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| PathBuf::from(OsStr::from_bytes(path)))
            .collect()
    }

    /// Lists the files of a root without git: every file that no `.gitignore` excludes.
    ///
    /// # Errors
    /// [`WalkError`] if there are too many files, or an ignore file cannot be read.
    pub fn walk(root: &Root, state: &StateDir) -> Result<Self, WalkError> {
        Ok(walk::all(root.path(), state.path())?.into_iter().collect())
    }

    /// The union of both lists.
    pub fn and(&self, other: &Self) -> Self {
        self.0.iter().chain(&other.0).cloned().collect()
    }

    /// The files.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }
}

impl FromIterator<PathBuf> for FileList {
    fn from_iter<I: IntoIterator<Item = PathBuf>>(paths: I) -> Self {
        let is_inside = |path: &PathBuf| {
            let mut parts = Path::new(path).components();
            parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let mut paths: Vec<_> = paths.into_iter().filter(is_inside).collect();
        paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        paths.dedup();
        Self(paths)
    }
}
