//! Appends commits to the lane.

use std::path::Path;

use crate::change::Entry;
use crate::checkout::lock_of;
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
        let index = self.index("file");
        self.dir.remove(lock_of(&index))?;
        let read = self.indexed(&index).args(["read-tree", tree.as_str()]);
        read.done().await?;
        let object = self.call().args(["hash-object", "-w", "--stdin"]);
        let object = object.stdin(bytes).line().await?;
        let path = self.note.source.prefix.join(path);
        let listed = self.call().args(["ls-tree", "--format=%(objectmode)"]);
        let listed = listed.args([tree.as_str(), "--"]).args([&path]);
        let mode = listed.line().await?;
        let entry = Entry { mode, object };
        self.put_entries(&index, std::iter::once((&*path, &entry)))
            .await?;
        Ok(self.indexed(&index).args(["write-tree"]).read().await?)
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
        let now = self.tip().await?;
        if now != *tip && self.is_child(&now, tip, tree).await? {
            return Ok(now);
        }
        let commit = self.commit(tree, tip, message).await?;
        let args = ["update-ref", LANE_REF, commit.as_str(), tip.as_str()];
        self.call().args(args).done().await?;
        Ok(commit)
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
