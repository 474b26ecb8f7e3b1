//! Why an operation on a lane failed, and why no lane can be made.

use std::path::Path;

use review_process::SpawnFault;
use review_store::FileError;
use review_types::StartCode;

use crate::git::GitError;

/// Why an operation on a lane failed. What the user and the agents have written is
/// where it was.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// No lane can be made.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Git failed.
    #[error(transparent)]
    Git(GitError),
    /// A file of the lane cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be used, for this reason.
    #[error("{0}")]
    Unusable(String),
    /// The files that git ignores and that checkouts need are too large.
    #[error("the files that .worktreeinclude names have more than {} GiB", max >> 30)]
    TooMuchIncluded {
        /// The maximum number of bytes.
        max: u64,
    },
    /// What another computer sent is not taken.
    #[error("what was received is not taken: {0}")]
    Untrusted(String),
}

impl LaneError {
    /// Returns whether the run is being stopped.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Git(error) if error.is_stop())
    }
}

impl From<GitError> for LaneError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Spawn(error) if matches!(error.cause, SpawnFault::NotFound) => {
                Refusal::new(StartCode::NoGit, "git was not found on PATH", NEEDS_GIT).into()
            }
            error => Self::Git(error),
        }
    }
}

/// Why no lane can be made of a folder, in words. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Its code.
    pub code: StartCode,
    message: String,
    /// What to do about it, unless the message says it.
    pub hint: Option<&'static str>,
}

/// What to do where a folder is in no repository.
const NEEDS_REPOSITORY: &str = "finished work lands on a branch: run `git init && git add --all \
                                && git commit -m Start` in the project, and this again";

/// What to do where a branch has no commit.
pub(crate) const NEEDS_COMMIT: &str = "finished work lands after a commit: run `git add --all && \
                                       git commit -m Start` on this branch, or name another one \
                                       with --target BRANCH";

/// What to do where git is missing or too old.
pub(crate) const NEEDS_GIT: &str =
    "agents implement tasks in checkouts that git makes: install git 2.34 or newer";

impl Refusal {
    /// Returns a refusal with what to do about it.
    pub fn new(
        code: StartCode,
        message: impl Into<String>,
        hint: impl Into<Option<&'static str>>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Returns that a folder is not in a work tree.
    pub(crate) fn no_repository(folder: &Path) -> Self {
        let message = format!("{} is not in a git work tree", folder.display());
        Self::new(StartCode::NoTarget, message, NEEDS_REPOSITORY)
    }
}
