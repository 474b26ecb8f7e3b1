//! Completes or undoes a landing that was cut off.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use review_store::{delete_file, read_file};
use review_types::LandCode;

use crate::change::{ChangedPath, Mode};
use crate::error::LaneError;
use crate::git::path_of;
use crate::land::{NotLanded, in_the_way, named};
use crate::lane::Lane;
use crate::object::CommitId;

impl Lane {
    /// Completes or undoes what a landing of `new` on `old` left that was cut off. It is
    /// known by the lock of the branch, which holds the new commit.
    ///
    /// A file that is neither as before nor as the landing writes it is the user's: it
    /// stays, and nothing is landed.
    pub(crate) async fn finish_landing(
        &self,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<Result<(), NotLanded>, LaneError> {
        let source = &self.note.source;
        let lock = format!("{}.lock", source.target_ref());
        let lock = source.common_dir().join(lock);
        let is_ours =
            read_file(&lock).is_ok_and(|text| text.trim_ascii() == new.as_str().as_bytes());
        if !is_ours {
            return Ok(Ok(()));
        }
        for name in ["index.lock", "HEAD.lock"] {
            delete_file(&source.git_dir.join(name))?;
        }
        delete_file(&lock)?;
        let changed = self.changed_paths(old.as_str(), new.as_str()).await?;
        // Git writes the index after all files.
        if self.index_has(new, &changed).await? {
            return self.move_branch(old, new).await;
        }
        let kept = self.undo(&changed).await?;
        Ok(match kept.is_empty() {
            true => Ok(()),
            false => Err(NotLanded {
                code: LandCode::DirtyOverlap,
                reason: format!(
                    "the run was killed while it wrote your files, and these are neither as \
                     before nor as it writes them: {}; commit or restore them",
                    named(&kept)
                ),
            }),
        })
    }

    /// Whether the user's index has the entries of a commit at these paths.
    pub(crate) async fn index_has(
        &self,
        commit: &CommitId,
        changed: &[ChangedPath],
    ) -> Result<bool, LaneError> {
        let diff = [
            "diff-index",
            "--cached",
            "-z",
            "--name-only",
            commit.as_str(),
        ];
        let diff = self.user().args(diff).done().await?;
        let differing: BTreeSet<_> = diff.strings().map(path_of).collect();
        Ok(changed
            .iter()
            .all(|change| !differing.contains(&change.path)))
    }

    /// Brings files that the landing wrote back to what they were; returns those that
    /// it did not write.
    pub(crate) async fn undo(&self, changed: &[ChangedPath]) -> Result<Vec<PathBuf>, LaneError> {
        let top = &self.note.source.top;
        let mut kept = Vec::new();
        let mut to_restore = Vec::new();
        for change in changed {
            if self.is_as_before(change).await? {
                continue;
            }
            if !self.is_written(change).await? {
                kept.push(change.path.clone());
                continue;
            }
            if entry_at(top, &change.path).is_some() {
                delete_file(&top.join(&change.path))?;
            }
            if change.before.exists() {
                to_restore.push(&change.path);
            }
        }
        let mut restored = Vec::new();
        for path in to_restore {
            // Git would delete a file of the user to write this one.
            match in_the_way(top, path).is_empty() {
                true => {
                    restored.extend_from_slice(path.as_os_str().as_encoded_bytes());
                    restored.push(0);
                }
                false => kept.push(path.clone()),
            }
        }
        if !restored.is_empty() {
            let restore = ["checkout-index", "-q", "-f", "-u", "-z", "--stdin"];
            let restore = self.user().args(restore).stdin(restored);
            restore.done().await?;
        }
        Ok(kept)
    }

    async fn is_as_before(&self, change: &ChangedPath) -> Result<bool, LaneError> {
        let found = entry_at(&self.note.source.top, &change.path);
        match (change.before.mode, found) {
            (Mode::Absent, found) => Ok(found.is_none()),
            (Mode::Repository, _) => Ok(true),
            (Mode::Link | Mode::File | Mode::Executable, None) => Ok(false),
            (Mode::Link | Mode::File | Mode::Executable, Some(found)) => {
                let before = self.content(change, &change.before.object).await?;
                Ok(content_of(&found) == Some(before))
            }
        }
    }

    /// Whether the landing wrote a file, or the start of it, or deleted it.
    async fn is_written(&self, change: &ChangedPath) -> Result<bool, LaneError> {
        let Some(found) = entry_at(&self.note.source.top, &change.path) else {
            return Ok(true);
        };
        match (change.after.mode, content_of(&found)) {
            (Mode::Absent | Mode::Repository, _) | (_, None) => Ok(false),
            (Mode::Link | Mode::File | Mode::Executable, Some(found)) => {
                let after = self.content(change, &change.after.object).await?;
                Ok(after.starts_with(&found))
            }
        }
    }

    /// An object as git writes it to a file at this path.
    async fn content(&self, change: &ChangedPath, object: &str) -> Result<Vec<u8>, LaneError> {
        let mut path = std::ffi::OsString::from("--path=");
        path.push(&change.path);
        let cat = self
            .user()
            .args(["cat-file".into(), "--filters".into(), path]);
        Ok(cat.args([object]).done().await?.stdout)
    }
}

/// The place of a file or a link below `top`; `None` if a folder is there, nothing is, or
/// what is in place of one of its folders.
fn entry_at(top: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = top.to_owned();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let is_folder = place.symlink_metadata().ok()?.is_dir();
        if is_folder != parts.peek().is_some() {
            return None;
        }
    }
    Some(place)
}

/// The content of a file, or the target of a link.
fn content_of(place: &Path) -> Option<Vec<u8>> {
    match place.is_symlink() {
        true => std::fs::read_link(place)
            .ok()
            .map(|target| target.into_os_string().into_encoded_bytes()),
        false => read_file(place).ok(),
    }
}
