//! A project without a repository: ralph keeps one in the folder of the lane, whose work
//! tree is the project. It gives the project what a branch gives: commits that the lane
//! starts from, and a state that the work is landed on.

use std::path::{Path, PathBuf};

use review_store::{LaneDir, SKIPPED_FOLDERS, delete_file};

use crate::error::LaneError;
use crate::git::Git;
use crate::lane::Lane;
use crate::object::{CommitId, TreeId};
use crate::snapshot::{ChangeFault, add_all};
use crate::source::{Owner, Source};

/// The repository, below the folder of the lane.
const REPOSITORY: &str = "project.git";
const BRANCH: &str = "main";
const BRANCH_LOCK: &str = "refs/heads/main.lock";
const FORMAT: &str = "sha1";
const MESSAGE: &str = "The files of the project";
/// Git takes and writes the bytes of files as they are, whatever settings and
/// `.gitattributes` say: what is committed here is never checked out.
const ATTRIBUTES: &str = "* -text -ident -filter -working-tree-encoding\n";
/// The note of a landing that is under way, in the folder of the lane: its commit.
const LANDING: &str = "landing";

impl Source {
    /// Makes the repository of a project that has none, with its files as the first
    /// commit.
    pub(crate) async fn make(git: &Git, dir: &LaneDir, root: &Path) -> Result<Self, LaneError> {
        let git_dir = dir.entry(REPOSITORY);
        let init = ["init", "-q", "--bare", "--template=", "-b", BRANCH];
        let init = git.at(dir.path()).args(init).args([&git_dir]);
        init.done().await?;
        let info = Path::new(REPOSITORY).join("info");
        dir.create_folder(&info)?;
        let excluded = SKIPPED_FOLDERS.map(|folder| format!("{folder}/\n"));
        dir.write(info.join("exclude"), excluded.concat().as_bytes())?;
        dir.write(info.join("attributes"), ATTRIBUTES.as_bytes())?;
        name_author(git, dir, &git_dir).await?;
        let base = commit_files(git, &git_dir, root, None).await?;
        Ok(Self {
            top: root.to_owned(),
            prefix: PathBuf::new(),
            git_dir,
            target: BRANCH.to_owned(),
            base,
            format: FORMAT.to_owned(),
            owner: Owner::Lane,
        })
    }

    /// Commits the files of a project that has no repository, as they are now; a user's
    /// own repository stays as it is.
    pub(crate) async fn take_files(&self, git: &Git) -> Result<(), LaneError> {
        if self.owner == Owner::Lane {
            let parent = self.current(git).await?;
            commit_files(git, &self.git_dir, &self.top, parent).await?;
        }
        Ok(())
    }
}

impl Lane {
    /// The commit whose landing was cut off, in a project that has no repository.
    pub(crate) fn half_landed(&self) -> Result<Option<CommitId>, LaneError> {
        let note = self.dir.read(LANDING)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&note).parse().ok())
    }

    /// Notes, in a project that has no repository, that its files are being written.
    /// What git leaves when it is killed does not always show that.
    pub(crate) fn note_landing(&self, new: &CommitId) -> Result<(), LaneError> {
        match self.note.source.owner {
            Owner::User => Ok(()),
            Owner::Lane => Ok(self.dir.write(LANDING, new.as_str().as_bytes())?),
        }
    }

    /// Notes that the files are those before or after a landing.
    pub(crate) fn note_landing_ended(&self) -> Result<(), LaneError> {
        Ok(self.dir.remove(LANDING)?)
    }
}

/// Names an author where git knows none: no one sees these commits.
async fn name_author(git: &Git, dir: &LaneDir, git_dir: &Path) -> Result<(), LaneError> {
    let call = || git.at(dir.path()).env("GIT_DIR", git_dir);
    let known = call().args(["var", "GIT_COMMITTER_IDENT"]).answer().await?;
    if !known.succeeded() {
        for setting in [["user.name", "ralph"], ["user.email", "ralph@localhost"]] {
            call().args(["config"]).args(setting).done().await?;
        }
    }
    Ok(())
}

/// Commits the files of a folder on the branch; returns the parent if nothing changed.
async fn commit_files(
    git: &Git,
    git_dir: &Path,
    top: &Path,
    parent: Option<CommitId>,
) -> Result<CommitId, LaneError> {
    let call = || {
        git.at(top)
            .env("GIT_DIR", git_dir)
            .env("GIT_WORK_TREE", top)
    };
    // No other process works on it: a lock is of a call that was cut off.
    for lock in ["index.lock", "HEAD.lock", BRANCH_LOCK] {
        delete_file(&git_dir.join(lock))?;
    }
    match add_all(git, git_dir, top, &git_dir.join("index")).await? {
        None | Some(ChangeFault::NestedRepository(_)) => {}
        Some(fault) => return Err(LaneError::Unusable(fault.to_string())),
    }
    let tree: TreeId = call().args(["write-tree"]).read().await?;
    if let Some(parent) = &parent {
        let before = format!("{parent}^{{tree}}");
        let before: TreeId = call().args(["rev-parse", &before]).read().await?;
        if before == tree {
            return Ok(parent.clone());
        }
    }
    let parents = parent.iter().flat_map(|parent| ["-p", parent.as_str()]);
    let commit = call().args(["commit-tree", tree.as_str(), "-m", MESSAGE]);
    let commit: CommitId = commit.args(parents).read().await?;
    let branch = format!("refs/heads/{BRANCH}");
    let set = call().args(["update-ref", &branch, commit.as_str()]);
    set.done().await?;
    Ok(commit)
}
