//! Merges a change into the tip of the lane, without a checkout.

use std::path::{Path, PathBuf};

use crate::change::{ChangedPath, Entry};
use crate::checkout::lock_of;
use crate::error::LaneError;
use crate::git::path_of;
use crate::lane::Lane;
use crate::object::{CommitId, TreeId};
use crate::protected::{Opens, is_test};

/// The exit of a git that does not know an option, such as those before 2.38.
const USAGE: i32 = 129;

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The change fits.
    Clean(TreeId),
    /// The same lines have other changes.
    Conflicts {
        /// The tree, in whose files the conflicts are marked.
        tree: TreeId,
        /// The files.
        paths: Vec<PathBuf>,
    },
}

/// A merged tree, with what it changes in the tip of the lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedTree {
    tip: CommitId,
    tree: TreeId,
    paths: Vec<ChangedPath>,
}

impl Lane {
    /// Merges what changed from `base` to `commit` into `tip`.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn merge(
        &self,
        base: &CommitId,
        commit: &CommitId,
        tip: &CommitId,
    ) -> Result<Merge, LaneError> {
        if tip == base {
            return Ok(Merge::Clean(self.tree_of(commit).await?));
        }
        let [before, ours_tree, theirs_tree] = self.trees_of([base, tip, commit]).await?;
        if ours_tree == before {
            return Ok(Merge::Clean(theirs_tree));
        }
        // With these two commits the merge base is `base`, whatever the history is.
        let ours = self.commit(&ours_tree, base, "The lane").await?;
        let theirs = self.commit(&theirs_tree, base, "The change").await?;
        let merge = self
            .call()
            // No merge driver of the change's own.
            .env("GIT_ATTR_SOURCE", base.as_str())
            .args([
                "merge-tree",
                "--write-tree",
                "-z",
                "--name-only",
                "--no-messages",
            ])
            .args([ours.as_str(), theirs.as_str()])
            .answer()
            .await?;
        let mut strings = merge.strings();
        let tree = strings
            .next()
            .and_then(|name| std::str::from_utf8(name).ok());
        let tree = tree.and_then(|name| name.trim().parse().ok());
        match (tree, merge.exit) {
            (Some(tree), review_process::Exit::Code(0)) => Ok(Merge::Clean(tree)),
            (Some(tree), review_process::Exit::Code(1)) => Ok(Merge::Conflicts {
                tree,
                paths: strings.map(path_of).collect(),
            }),
            (None, review_process::Exit::Code(USAGE)) => {
                self.merge_files([&before, &ours_tree, &theirs_tree]).await
            }
            _ => Err(merge.failed().into()),
        }
    }

    /// Returns a tree with the files of a commit at some paths.
    pub(crate) async fn with_entries_of(
        &self,
        commit: &CommitId,
        tree: &TreeId,
        paths: &[PathBuf],
    ) -> Result<TreeId, LaneError> {
        let changed = self.changed_paths(tree.as_str(), commit.as_str()).await?;
        let taken = changed.iter().filter(|change| paths.contains(&change.path));
        let entries = taken.map(|change| (&*change.path, &change.after));
        self.with_entries(tree, entries).await
    }

    async fn with_entries<'a>(
        &self,
        tree: &TreeId,
        entries: impl Iterator<Item = (&'a Path, &'a Entry)>,
    ) -> Result<TreeId, LaneError> {
        let index = self.index("entries");
        self.dir.remove(lock_of(&index))?;
        let read = self.indexed(&index).args(["read-tree", tree.as_str()]);
        read.done().await?;
        self.put_entries(&index, entries).await?;
        Ok(self.indexed(&index).args(["write-tree"]).read().await?)
    }

    /// Compares a merged tree with the tip of the lane.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn merged_tree(
        &self,
        tip: &CommitId,
        tree: &TreeId,
    ) -> Result<MergedTree, LaneError> {
        Ok(MergedTree {
            tip: tip.clone(),
            tree: tree.clone(),
            paths: self.changed_paths(tip.as_str(), tree.as_str()).await?,
        })
    }

    /// Returns the changed tree with the tests that it changes or deletes as they were, but
    /// for those that the task may change; `None` if there are none.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_tests_before(
        &self,
        merged: &MergedTree,
        opens: Opens<'_>,
    ) -> Result<Option<TreeId>, LaneError> {
        let is_open = |path: &Path| path.strip_prefix(&self.note.source.prefix).is_ok_and(opens);
        let tests: Vec<_> = merged
            .paths
            .iter()
            .filter(|change| change.before.exists() && is_test(&change.path))
            .filter(|change| !is_open(&change.path))
            .collect();
        if tests.is_empty() {
            return Ok(None);
        }
        let entries = tests.iter().map(|change| (&*change.path, &change.before));
        Ok(Some(self.with_entries(&merged.tree, entries).await?))
    }

    /// Returns the tree of the tip with the tests that the change adds or changes and
    /// nothing else of it; `None` if there are none, or nothing else.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_only_tests(&self, merged: &MergedTree) -> Result<Option<TreeId>, LaneError> {
        let (tests, others): (Vec<_>, Vec<_>) = merged
            .paths
            .iter()
            .filter(|change| change.after.exists())
            .partition(|change| is_test(&change.path));
        if tests.is_empty() || others.is_empty() {
            return Ok(None);
        }
        let before = self.tree_of(&merged.tip).await?;
        let entries = tests.iter().map(|change| (&*change.path, &change.after));
        Ok(Some(self.with_entries(&before, entries).await?))
    }
}
