//! Why an operation on a lane failed.

use review_store::FileError;

use crate::git::GitError;
use crate::refusal::Refusal;

/// Why an operation on a lane failed. What the user and the agents have written is
/// where it was.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// No lane can be made.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file of the lane cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The note of the lane is damaged.
    #[error("{path} is damaged: {source}", path = path.display())]
    Note {
        /// The note.
        path: std::path::PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The files that git ignores and that checkouts need are too large.
    #[error("the files that .worktreeinclude names have more than {} GiB", max >> 30)]
    TooMuchIncluded {
        /// The maximum number of bytes.
        max: u64,
    },
    /// What another computer sent is not taken.
    #[error("what was received is not taken: {0}")]
    Untrusted(String),
    /// The folder of the lane was removed.
    #[error("the folder {} of the run was removed; what has landed is safe", .0.display())]
    Gone(std::path::PathBuf),
}

impl LaneError {
    /// Returns whether the run is being stopped.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        match self {
            Self::Git(error) | Self::Refused(Refusal::Git(error)) => error.is_stop(),
            Self::Refused(_)
            | Self::File(_)
            | Self::Note { .. }
            | Self::TooMuchIncluded { .. }
            | Self::Untrusted(_)
            | Self::Gone(_) => false,
        }
    }
}
