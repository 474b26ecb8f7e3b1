//! A file that could not be used, with its path.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that could not be used as it was meant to be.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be {action}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// What was tried.
    pub action: Action,
    /// Why it failed.
    pub source: io::Error,
}

/// What was tried with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reading its bytes or its metadata.
    Read,
    /// Listing what a folder holds.
    Listed,
    /// Creating it.
    Created,
    /// Writing it.
    Written,
    /// Deleting it.
    Deleted,
    /// Locking it.
    Locked,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Listed => "listed",
            Self::Created => "created",
            Self::Written => "written",
            Self::Deleted => "deleted",
            Self::Locked => "locked",
        })
    }
}

impl FileError {
    /// Turns an error of the system into one that names the file.
    pub(crate) fn of(action: Action, path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        move |source| Self {
            path: path.to_owned(),
            action,
            source,
        }
    }
}

/// Keeps the kind, so that a caller that speaks [`io::Error`] can tell a file
/// that is missing from one that is broken.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
