//! Errors about files, with their paths.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An operation on a file or folder failed.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be {action}: {source}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The operation.
    pub action: Action,
    /// The cause.
    pub source: io::Error,
}

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reading its content or its metadata.
    Read,
    /// Listing a folder.
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
    /// Adds the operation and the path to an I/O error.
    pub(crate) fn of(action: Action, path: &Path) -> impl FnOnce(io::Error) -> Self + use<'_> {
        move |source| Self {
            path: path.to_owned(),
            action,
            source,
        }
    }
}

/// Keeps the error kind, so that a caller of [`io::Error`] can distinguish a missing
/// file from a broken one.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        Self::new(error.source.kind(), error)
    }
}
