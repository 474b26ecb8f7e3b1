//! Files that commands of gates find and agents do not, such as the tests of a task that
//! its agent is not to see.
//!
//! The objects of the lane have them as well. So the checkout of an agent borrows its own
//! from a repository with commits without these files, and without a history.

use std::path::{Path, PathBuf};

use review_types::TaskNumber;

use crate::change::{Entry, Mode};
use crate::error::LaneError;
use crate::lane::{Lane, REPOSITORY};
use crate::object::{CommitId, TreeId};
use crate::snapshot::Opens;

/// The repository with the objects that agents may see where files are hidden from them.
pub(crate) const SHOWN: &str = "shown.git";

/// What an agent is given.
pub(crate) struct Shown {
    /// The last commit of its checkout.
    pub(crate) head: CommitId,
    /// Its files, if they are others.
    pub(crate) tree: Option<TreeId>,
}

impl Lane {
    /// Returns the paths of the user that agents are not to see where files are hidden: these
    /// files, the user's repository and that of the lane.
    ///
    /// # Errors
    /// [`LaneError`] when git fails.
    pub async fn hidden_paths(&self, hides: Opens<'_>) -> Result<Vec<PathBuf>, LaneError> {
        let source = &self.note.source;
        let files = self.files_at(self.note.base.as_str()).await?;
        let files = files.into_iter().filter(|path| hides(path));
        let files = files.map(|path| source.top.join(&source.prefix).join(path));
        let others = [source.git_dir.clone(), self.dir.entry(REPOSITORY)];
        Ok(files.chain(others).collect())
    }

    /// Returns what the agent of a task is given of a commit, or of another tree in its place.
    pub(crate) async fn show(
        &self,
        task: TaskNumber,
        (base, tree): (&CommitId, Option<&TreeId>),
        hides: Opens<'_>,
    ) -> Result<Shown, LaneError> {
        let before = self.tree_of(base).await?;
        let before = self.without_hidden(&before, hides).await?;
        let tree = match tree {
            Some(tree) => Some(self.without_hidden(tree, hides).await?),
            None => None,
        };
        let commit = ["commit-tree", before.as_str(), "-m", "The project"];
        let head: CommitId = self.call().args(commit).read().await?;
        let name = format!("refs/ralph/shown/{task}");
        self.set_ref(&name, &head).await?;
        let shown = self.dir.entry(SHOWN);
        if !shown.is_dir() {
            let format = format!("--object-format={}", self.note.source.format);
            let init = ["init", "-q", "--bare", "--template=", &format, SHOWN];
            self.git.at(self.dir.path()).args(init).done().await?;
        }
        let fetch = self.git.at(self.dir.path()).env("GIT_DIR", shown);
        let fetch = fetch.args(["fetch", "-q", "--no-tags", "--no-write-fetch-head"]);
        let fetch = fetch.args([REPOSITORY, &format!("+{name}:{name}")]);
        fetch.done().await?;
        Ok(Shown {
            head,
            tree: tree.filter(|tree| *tree != before),
        })
    }

    async fn without_hidden(&self, tree: &TreeId, hides: Opens<'_>) -> Result<TreeId, LaneError> {
        let absent = Entry {
            mode: Mode::Absent,
            object: "0".repeat(tree.as_str().len()),
        };
        let files = self.files_at(tree.as_str()).await?;
        let hidden = files.into_iter().filter(|path| hides(path));
        let prefix = &self.note.source.prefix;
        let hidden: Vec<_> = hidden.map(|path| prefix.join(path)).collect();
        let entries = hidden.iter().map(|path| (&**path, &absent));
        self.with_entries("entries", tree, entries).await
    }

    /// Returns the settings of git that the checkouts of agents read in any case.
    pub fn checkout_settings(&self) -> PathBuf {
        self.dir
            .entry(Path::new(REPOSITORY).join(crate::open::CHECKOUT_CONFIG))
    }
}
