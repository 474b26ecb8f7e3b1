//! Why no lane can be made of a folder.

use std::path::PathBuf;

use review_process::SpawnError;
use review_types::{StartCode, plural};

use crate::git::GitError;
use crate::snapshot::{ChangeFault, MAX_FILE};

/// Maximum number of paths that a message names.
const NAMED: usize = 10;

/// Why no lane can be made of a folder. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// There is no git.
    #[error("git was not found on PATH")]
    NoGit,
    /// Git is too old.
    #[error("git {found} is too old to implement tasks with")]
    GitTooOld {
        /// Its version.
        found: String,
    },
    /// The folder is not in a work tree.
    #[error("{} is not in a git work tree", .0.display())]
    NoRepository(PathBuf),
    /// Git does not trust the repository.
    #[error("git refuses the repository: {0}")]
    SourceUnsafe(String),
    /// No branch is checked out and none was named.
    #[error("no branch is checked out")]
    NoTarget,
    /// The branch has no commit.
    #[error("branch {branch} has no commit")]
    NoBaseCommit {
        /// The branch.
        branch: String,
    },
    /// A merge, rebase, cherry-pick or revert is not finished.
    #[error("a {0} is not finished")]
    Unmerged(&'static str),
    /// Git does not know the user's name.
    #[error("git does not know who commits: {0}")]
    NoIdentity(String),
    /// Objects of the commit are missing.
    #[error("the repository is a partial clone and lacks objects of branch {branch}")]
    BaseIncomplete {
        /// The branch.
        branch: String,
    },
    /// Checkouts have no files of submodules.
    #[error("checkouts lack the files of {}", modules(.0))]
    SubmodulesMissing(Vec<PathBuf>),
    /// Files have changes that are not committed.
    #[error("{}", dirty(paths))]
    Dirty {
        /// Their paths.
        paths: Vec<String>,
    },
    /// Changes that are not committed are too large to be included.
    #[error("{path} is not committed and has {bytes} bytes; at most {MAX_FILE} are included")]
    DirtyTooLarge {
        /// The largest of the files.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// A file of a project without a repository cannot be read.
    #[error(transparent)]
    File(ChangeFault),
    /// No sandbox works that the user asked for.
    #[error("no sandbox works here: {}", .0.join("; "))]
    SandboxMissing(Vec<String>),
    /// Git failed.
    #[error(transparent)]
    Git(GitError),
}

impl Refusal {
    /// Returns its code; `None` where git or a file fails.
    #[must_use]
    pub const fn code(&self) -> Option<StartCode> {
        Some(match self {
            Self::NoGit | Self::GitTooOld { .. } => StartCode::NoGit,
            Self::SourceUnsafe(_) => StartCode::SourceUnsafe,
            Self::NoRepository(_) | Self::NoTarget | Self::NoBaseCommit { .. } => {
                StartCode::NoTarget
            }
            Self::Unmerged(_) => StartCode::Unmerged,
            Self::NoIdentity(_) => StartCode::NoIdentity,
            Self::BaseIncomplete { .. } | Self::SubmodulesMissing(_) => StartCode::BaseIncomplete,
            Self::Dirty { .. } | Self::DirtyTooLarge { .. } => StartCode::Dirty,
            Self::SandboxMissing(_) => StartCode::SandboxMissing,
            Self::File(_) | Self::Git(_) => return None,
        })
    }

    /// Returns what to do about it, if that is known.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoGit | Self::GitTooOld { .. } => {
                "agents implement tasks in checkouts that git makes: install git 2.34 or newer"
            }
            Self::NoRepository(_) | Self::NoBaseCommit { .. } => {
                "a branch is needed to land on: run `git init` where there is none, and commit \
                 the project"
            }
            Self::NoTarget => "switch to a branch, or name one with --target BRANCH",
            Self::Unmerged(_) => "finish or abort it first",
            Self::NoIdentity(_) => "set user.name and user.email with `git config`",
            Self::BaseIncomplete { .. } => "run `git fetch --refetch --no-filter`",
            Self::SubmodulesMissing(_) => {
                "fetch them in each checkout: add `git submodule update --init` to `lane.setup`"
            }
            Self::Dirty { .. } => {
                "commit or stash them, or choose --dirty include (agents work on them) or \
                 --dirty ignore (agents do not see them)"
            }
            Self::DirtyTooLarge { .. } => {
                "commit it, name it in .gitignore, or choose --dirty ignore (agents do not see it)"
            }
            Self::SandboxMissing(_) => {
                "install bubblewrap, or let agents work without a sandbox: --sandbox off"
            }
            Self::SourceUnsafe(_) | Self::File(_) | Self::Git(_) => return None,
        })
    }
}

impl From<GitError> for Refusal {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Spawn(SpawnError::NotFound { .. }) => Self::NoGit,
            error => Self::Git(error),
        }
    }
}

fn modules(paths: &[PathBuf]) -> String {
    let named: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let modules = if paths.len() == 1 {
        "submodule"
    } else {
        "submodules"
    };
    format!("{modules} {}", named.join(", "))
}

fn dirty(paths: &[String]) -> String {
    let files = plural(paths.len(), "file has", "files have");
    let mut named: Vec<_> = paths.iter().take(NAMED).cloned().collect();
    if paths.len() > NAMED {
        named.push(format!("{} more", paths.len() - NAMED));
    }
    format!(
        "{files} changes that are not committed: {}",
        named.join(", ")
    )
}
