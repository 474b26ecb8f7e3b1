//! The artifact as agents are shown it.

use std::io;

/// Reads the files of the artifact as they are at the moment of a call.
pub trait ArtifactFiles: Send + Sync {
    /// The paths of the files, relative to the root, with `/` between their
    /// parts.
    ///
    /// # Errors
    /// When a folder cannot be read.
    fn paths(&self) -> io::Result<Vec<String>>;

    /// Appends the exact bytes of one of these files to `out`.
    ///
    /// # Errors
    /// When the file cannot be read or leaves the root.
    fn append(&self, path: &str, out: &mut Vec<u8>) -> io::Result<()>;
}

/// The artifact could not be read for a prompt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArtifactError {
    #[error("the files of the artifact cannot be listed: {0}")]
    List(#[source] io::Error),
    #[error("{path} cannot be read: {source}")]
    Read { path: String, source: io::Error },
}
