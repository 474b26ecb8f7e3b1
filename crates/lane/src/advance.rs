//! Appends commits to the lane.

use std::path::Path;

use crate::change::{Entry, Mode};
use crate::error::LaneError;
use crate::lane::{LANE_REF, Lane};
use crate::object::{CommitId, TreeId};

impl Lane {
    /// Returns the content of a file of a tree or commit; `None` if it has none.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn file_at(&self, tree: &str, path: &Path) -> Result<Option<Vec<u8>>, LaneError> {
        let mut name = std::ffi::OsString::from(format!("{tree}:"));
        name.push(self.note.source.prefix.join(path));
        let found = self.call().args(["cat-file".into(), "blob".into(), name]);
        let found = found.answer().await?;
        Ok(found.succeeded().then_some(found.stdout))
    }

    /// Returns whether a file of the user, relative to the root of the project, is the same
    /// to git as some content of it: filters and line ends may make their bytes differ.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn is_same_to_git(
        &self,
        path: &Path,
        users: &[u8],
        content: &[u8],
    ) -> Result<bool, LaneError> {
        if users == content {
            return Ok(true);
        }
        let path = self.note.source.prefix.join(path);
        let hash = self.user().args(["hash-object", "--stdin", "--path"]);
        let users = hash.args([&path]).stdin(users.to_vec()).line().await?;
        let hash = self.call().args(["hash-object", "--stdin"]);
        Ok(users == hash.stdin(content.to_vec()).line().await?)
    }

    /// Returns a tree with another content of one of its files, relative to the root of
    /// the project.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_file(
        &self,
        tree: &TreeId,
        path: &Path,
        bytes: Vec<u8>,
    ) -> Result<TreeId, LaneError> {
        let object = self.call().args(["hash-object", "-w", "--stdin"]);
        let object = object.stdin(bytes).line().await?;
        let path = self.note.source.prefix.join(path);
        let listed = self.call().args(["ls-tree", "-z", tree.as_str(), "--"]);
        let listed = listed.args([&path]).done().await?;
        let mode = listed.stdout.split(|byte| *byte == b' ').next();
        let mode = mode.and_then(|mode| Mode::of(std::str::from_utf8(mode).ok()?));
        let mode = mode.ok_or_else(|| listed.unexpected())?;
        let entry = Entry { mode, object };
        let entries = std::iter::once((&*path, &entry));
        self.with_entries("file", tree, entries).await
    }

    /// Appends a commit with a tree to the lane, after `tip`. A step that was cut off
    /// after it did that returns the same commit.
    ///
    /// # Errors
    /// [`LaneError`] when git fails, or the lane is at another commit.
    pub async fn advance(
        &self,
        tip: &CommitId,
        tree: &TreeId,
        message: &str,
    ) -> Result<CommitId, LaneError> {
        let commit = self.commit(tree, tip, message).await?;
        let args = ["update-ref", LANE_REF, commit.as_str(), tip.as_str()];
        let moved = self.call().args(args).answer().await?;
        if moved.succeeded() {
            self.known().tip = Some(commit.clone());
            return Ok(commit);
        }
        let now = self.tip().await?;
        match self.is_child(&now, tip, tree).await? {
            true => Ok(now),
            false => Err(moved.failed().into()),
        }
    }

    /// Whether a commit has this tree and this parent.
    async fn is_child(
        &self,
        commit: &CommitId,
        parent: &CommitId,
        tree: &TreeId,
    ) -> Result<bool, LaneError> {
        let shown = ["show", "-s", "--format=%T %P", commit.as_str()];
        let shown = self.call().args(shown).line().await?;
        Ok(shown == format!("{tree} {parent}"))
    }
}
