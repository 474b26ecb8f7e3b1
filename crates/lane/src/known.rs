//! Answers of git about objects, which never change, so that it is not asked again.

use std::collections::HashMap;

use crate::change::ChangedPath;
use crate::object::{CommitId, TreeId};

/// Answers of git about the objects and refs of a lane.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The last commit of the lane, once this process has read it or put it there.
    pub(crate) tip: Option<CommitId>,
    /// Whether no file of the lane is a repository of its own.
    pub(crate) has_no_repository: bool,
    trees: HashMap<CommitId, TreeId>,
    /// The last commit of each tree that was made after another commit, and that one.
    commits: HashMap<TreeId, (CommitId, CommitId)>,
    /// The last two trees that were compared.
    diff: Option<([String; 2], Vec<ChangedPath>)>,
}

impl Known {
    pub(crate) fn tree(&self, commit: &CommitId) -> Option<&TreeId> {
        self.trees.get(commit)
    }

    pub(crate) fn add_tree(&mut self, commit: CommitId, tree: TreeId) {
        self.trees.insert(commit, tree);
    }

    pub(crate) fn add_commit(&mut self, commit: &CommitId, tree: &TreeId, parent: &str) {
        self.trees.insert(commit.clone(), tree.clone());
        if let Ok(parent) = parent.parse() {
            self.commits.insert(tree.clone(), (commit.clone(), parent));
        }
    }

    /// Returns a commit of a tree that is the last one of the lane, or comes right after it.
    pub(crate) fn commit_on_tip(&self, tree: &TreeId) -> Option<CommitId> {
        let tip = self.tip.as_ref()?;
        if self.tree(tip) == Some(tree) {
            return Some(tip.clone());
        }
        let (commit, parent) = self.commits.get(tree)?;
        (parent == tip).then(|| commit.clone())
    }

    /// The names of two trees or commits by which their difference is known.
    pub(crate) fn pair(&self, [before, after]: [&str; 2]) -> [String; 2] {
        [before, after].map(|name| {
            let commit = name.parse::<CommitId>().ok();
            let tree = commit.and_then(|commit| self.trees.get(&commit));
            tree.map_or(name, TreeId::as_str).to_owned()
        })
    }

    pub(crate) fn diff(&self, pair: &[String; 2]) -> Option<Vec<ChangedPath>> {
        let (known, changed) = self.diff.as_ref()?;
        (known == pair).then(|| changed.clone())
    }

    /// Notes what differs between two objects; names of refs are not noted.
    pub(crate) fn add_diff(&mut self, pair: [String; 2], changed: &[ChangedPath]) {
        if pair.iter().all(|name| name.parse::<TreeId>().is_ok()) {
            self.diff = Some((pair, changed.to_vec()));
        }
    }
}
