//! Files that git ignores and that a checkout needs, such as `.env`: those that the patterns
//! in `.worktreeinclude` match are copied from the user's files.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use review_store::STATE_DIR;

use crate::checkout::Place;
use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;

/// The file with the patterns, in the root of the project.
const LIST: &str = ".worktreeinclude";

/// Maximum number of bytes that are copied to a checkout.
const MAX_COPIED: u64 = 1 << 30;

impl Lane {
    /// Copies the files that `.worktreeinclude` names and git ignores to a checkout that was
    /// just made, but the `state` of runs; returns those that are not copied, since they are
    /// links, or a link or a file is in place of their folder.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, a file cannot be copied, or they are too large.
    pub async fn copy_included(
        &self,
        place: &Place,
        state: &Path,
    ) -> Result<Vec<PathBuf>, LaneError> {
        let list = place.root.join(LIST);
        if !list.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(Vec::new());
        }
        let source = &self.note.source;
        let root = source.top.join(&source.prefix);
        let mut left_out = Vec::new();
        let mut files = Vec::new();
        let mut free = MAX_COPIED;
        for path in self.included(&root, &list).await? {
            let from = root.join(&path);
            let is_state = path.components().any(|part| part.as_os_str() == STATE_DIR);
            let Ok(found) = from.symlink_metadata() else {
                continue;
            };
            if is_state || from.starts_with(state) {
                continue;
            }
            if !found.is_file() {
                left_out.push(path);
                continue;
            }
            free = free
                .checked_sub(found.len())
                .ok_or(LaneError::TooMuchIncluded { max: MAX_COPIED })?;
            files.push((from, path));
        }
        for (from, path) in files {
            if !self.copy_to(place, &from, &path)? {
                left_out.push(path);
            }
        }
        left_out.sort();
        Ok(left_out)
    }

    /// The files of the user that the patterns of a file match and that git ignores,
    /// relative to the root.
    async fn included(&self, root: &Path, list: &Path) -> Result<Vec<PathBuf>, LaneError> {
        let call = || self.git.at(root);
        let from = [b"--exclude-from=", list.as_os_str().as_bytes()].concat();
        let named = call().args(["ls-files", "-z", "--others", "--ignored"]);
        let named = named.args([path_of(&from)]).done().await?.stdout;
        self.ignored_of(root, named).await
    }

    /// Returns which of these paths, relative to the root of the project, git ignores.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn ignored(&self, paths: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, LaneError> {
        let source = &self.note.source;
        let names = paths.iter().map(|path| path.as_os_str().as_bytes());
        let names = names.collect::<Vec<_>>().join(&0);
        self.ignored_of(&source.top.join(&source.prefix), names)
            .await
    }

    /// Which of these paths, with NUL between them, git ignores; relative to a folder.
    async fn ignored_of(&self, root: &Path, paths: Vec<u8>) -> Result<Vec<PathBuf>, LaneError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.git.at(root);
        // It ends with 1 where none is.
        let ignored = call.args(["check-ignore", "-z", "--stdin"]).stdin(paths);
        Ok(ignored.answer().await?.strings().map(path_of).collect())
    }

    /// Copies a file to a path below the root of a checkout, which no link on the way may
    /// lead out of; `false` if something else is there. A file of the checkout's own stays.
    fn copy_to(&self, place: &Place, from: &Path, path: &Path) -> Result<bool, LaneError> {
        let root = place.root.strip_prefix(self.dir.path());
        let to = root.unwrap_or(&place.root).join(path);
        let is_blocked = |folder: &Path| {
            let found = place.root.join(folder).symlink_metadata();
            found.is_ok_and(|found| !found.is_dir())
        };
        if path.ancestors().skip(1).any(is_blocked) {
            return Ok(false);
        }
        self.dir.create_folder(to.parent().unwrap_or(&to))?;
        if self.dir.entry(&to).symlink_metadata().is_err() {
            self.dir.copy(from, &to)?;
        }
        Ok(true)
    }
}
