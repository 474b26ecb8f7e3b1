//! Merges a change into the tip of the lane, without a checkout.

use std::path::{Path, PathBuf};

use review_types::{StartCode, is_test_file};

use crate::change::{ChangedPath, Entry};
use crate::checkout::lock_of;
use crate::error::{LaneError, Refusal};
use crate::git::path_of;
use crate::lane::Lane;
use crate::object::{CommitId, TreeId};
use crate::snapshot::Opens;

/// The exit of a git that does not know an option, such as those before 2.38.
const USAGE: i32 = 129;

const CANNOT_MERGE: &str = "this git cannot merge work into a branch or lane that moved \
                            meanwhile; install git 2.38 or newer and resume the run, or work \
                            with `--jobs 1` on a branch that stays";

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

impl MergedTree {
    /// Returns the merged tree.
    pub const fn tree(&self) -> &TreeId {
        &self.tree
    }

    /// Returns the files that it changes.
    pub fn files(&self) -> &[ChangedPath] {
        &self.paths
    }

    /// Returns the files with tests that it deletes, without those that it moves.
    pub fn deleted_tests(&self) -> impl Iterator<Item = &Path> {
        let is_moved = |deleted: &ChangedPath| {
            let mut added = self.paths.iter().filter(|change| !change.before.exists());
            added.any(|added| added.after.object == deleted.before.object)
        };
        let deleted = self.paths.iter().filter(move |change| {
            let is_deleted = change.before.exists() && !change.after.exists();
            is_deleted && is_test_file(&change.path) && !is_moved(change)
        });
        deleted.map(|change| &*change.path)
    }
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
                Err(Refusal::new(StartCode::NoGit, CANNOT_MERGE, None).into())
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
        self.with_entries("entries", tree, entries).await
    }

    /// Returns a tree with other entries, made in an index of this name.
    pub(crate) async fn with_entries<'a>(
        &self,
        index: &str,
        tree: &TreeId,
        entries: impl Iterator<Item = (&'a Path, &'a Entry)>,
    ) -> Result<TreeId, LaneError> {
        let index = self.index(index);
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

    /// Returns the contents of a file that a merged tree changes, before and after; `None`
    /// where it is not a regular file.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn contents_of(
        &self,
        change: &ChangedPath,
    ) -> Result<[Option<Vec<u8>>; 2], LaneError> {
        let mut contents = [None, None];
        let entries = [&change.before, &change.after];
        for (content, entry) in contents.iter_mut().zip(entries) {
            if entry.is_file() {
                let blob = ["cat-file", "blob", &entry.object];
                *content = Some(self.call().args(blob).done().await?.stdout);
            }
        }
        Ok(contents)
    }

    /// Returns the merged tree with some of the files that it changes as they were.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn without(
        &self,
        merged: &MergedTree,
        paths: &[PathBuf],
    ) -> Result<TreeId, LaneError> {
        let changed = merged.paths.iter();
        let changed = changed.filter(|change| paths.contains(&change.path));
        let entries = changed.map(|change| (&*change.path, &change.before));
        self.with_entries("entries", &merged.tree, entries).await
    }

    /// Returns the files of a tree or commit, relative to the root of the project.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn files_at(&self, tree: &str) -> Result<Vec<PathBuf>, LaneError> {
        let list = ["ls-tree", "-r", "-z", "--name-only", tree];
        let list = self.call().args(list).done().await?;
        let prefix = &self.note.source.prefix;
        let paths = list.strings().map(path_of);
        let below = paths.filter_map(|path| Some(path.strip_prefix(prefix).ok()?.to_owned()));
        Ok(below.collect())
    }

    /// Returns the changed tree with the tests that it changes or deletes as they were, but
    /// for those that the task may change; `None` without such tests.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_tests_before(
        &self,
        merged: &MergedTree,
        opens: Opens<'_>,
    ) -> Result<Option<TreeId>, LaneError> {
        let tests: Vec<_> = merged
            .paths
            .iter()
            .filter(|change| change.before.exists() && is_test_file(&change.path))
            .filter(|change| !self.is_below(&change.path, opens))
            .collect();
        if tests.is_empty() {
            return Ok(None);
        }
        let entries = tests.iter().map(|change| (&*change.path, &change.before));
        Ok(Some(
            self.with_entries("entries", &merged.tree, entries).await?,
        ))
    }

    /// Returns the tree of the tip with the tests that the change adds or changes and
    /// nothing else of it; `None` if all tests of the change are those that the task may change.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn with_only_tests(
        &self,
        merged: &MergedTree,
        opens: Opens<'_>,
    ) -> Result<Option<TreeId>, LaneError> {
        let is_there = |change: &&ChangedPath| change.after.exists() && is_test_file(&change.path);
        let tests: Vec<_> = merged.paths.iter().filter(is_there).collect();
        if tests
            .iter()
            .all(|change| self.is_below(&change.path, opens))
        {
            return Ok(None);
        }
        let is_all = merged.paths.iter().all(|change| is_there(&change));
        if is_all {
            return Ok(Some(merged.tree.clone()));
        }
        let before = self.tree_of(&merged.tip).await?;
        let entries = tests.iter().map(|change| (&*change.path, &change.after));
        Ok(Some(self.with_entries("entries", &before, entries).await?))
    }
}
