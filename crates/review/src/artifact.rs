//! The artifact under review, as far as the loop must know it.

use std::io;

use review_types::{Hash, Manifest};

use crate::engine::Texts;

/// An artifact at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its files, exact to the byte.
    pub manifest: Manifest,
    /// Its hash with the status values of task files masked: what "changed"
    /// means throughout the loop.
    pub hash: Hash,
}

/// Reads the artifact and puts it back.
pub trait Artifact: Send + Sync {
    /// The artifact as it is now. With `texts` the contents of its files are
    /// kept there too.
    ///
    /// # Errors
    /// When a file cannot be read or leaves the root.
    fn snapshot(&self, texts: Option<&Texts>) -> io::Result<Snapshot>;

    /// Puts the files back to `manifest`, whose contents are in `texts`; files
    /// that it lacks are deleted. Statuses of task files stay as they are on
    /// disk.
    ///
    /// # Errors
    /// When a file cannot be written or its text is gone.
    fn restore(&self, manifest: &Manifest, texts: &Texts) -> io::Result<()>;
}
