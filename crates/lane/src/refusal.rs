//! Why no lane can be made of a folder.

use std::path::Path;

use review_process::SpawnError;
use review_types::StartCode;

use crate::git::GitError;
use crate::snapshot::ChangeFault;

/// Why no lane can be made of a folder. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A user can do something about it.
    #[error("{message}")]
    Start {
        /// Its code.
        code: StartCode,
        /// The reason in words.
        message: String,
        /// What to do about it, unless the message says it.
        hint: Option<&'static str>,
    },
    /// A file of a project without a repository cannot be read.
    #[error(transparent)]
    File(ChangeFault),
    /// Git failed.
    #[error(transparent)]
    Git(GitError),
}

impl Refusal {
    /// Returns a refusal with what to do about it.
    #[must_use]
    pub fn new(code: StartCode, message: impl Into<String>, hint: &'static str) -> Self {
        Self::Start {
            code,
            message: message.into(),
            hint: Some(hint),
        }
    }

    /// Returns that a folder is not in a work tree.
    #[must_use]
    pub fn no_repository(folder: &Path) -> Self {
        let message = format!("{} is not in a git work tree", folder.display());
        Self::new(StartCode::NoTarget, message, NEEDS_BRANCH)
    }

    /// Returns its code; `None` where git or a file fails.
    #[must_use]
    pub const fn code(&self) -> Option<StartCode> {
        match self {
            Self::Start { code, .. } => Some(*code),
            Self::File(_) | Self::Git(_) => None,
        }
    }

    /// Returns what to do about it, if that is known.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Start { hint, .. } => *hint,
            Self::File(_) | Self::Git(_) => None,
        }
    }
}

/// What to do where no branch has a commit.
pub(crate) const NEEDS_BRANCH: &str = "a branch is needed to land on: run `git init` where \
                                       there is none, and commit the project";

/// What to do where git is missing or too old.
pub(crate) const NEEDS_GIT: &str =
    "agents implement tasks in checkouts that git makes: install git 2.34 or newer";

impl From<GitError> for Refusal {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Spawn(SpawnError::NotFound { .. }) => {
                Self::new(StartCode::NoGit, "git was not found on PATH", NEEDS_GIT)
            }
            error => Self::Git(error),
        }
    }
}
