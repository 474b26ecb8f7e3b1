//! What an artifact consists of at one moment.

use serde::{Deserialize, Serialize};

use crate::Hash;

/// One file of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// Hash of its exact bytes.
    pub hash: Hash,
    /// Its permission bits.
    pub mode: u32,
}

/// The files of an artifact, ordered by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<FileEntry>", into = "Vec<FileEntry>")]
pub struct Manifest(Vec<FileEntry>);

impl Manifest {
    /// The files, ordered by path.
    #[must_use]
    pub fn files(&self) -> &[FileEntry] {
        &self.0
    }

    /// The file at `path`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&FileEntry> {
        self.0
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|index| &self.0[index])
    }
}

impl From<Vec<FileEntry>> for Manifest {
    fn from(mut files: Vec<FileEntry>) -> Self {
        files.sort();
        files.dedup_by(|a, b| a.path == b.path);
        Self(files)
    }
}

impl From<Manifest> for Vec<FileEntry> {
    fn from(manifest: Manifest) -> Self {
        manifest.0
    }
}

impl FromIterator<FileEntry> for Manifest {
    fn from_iter<I: IntoIterator<Item = FileEntry>>(files: I) -> Self {
        files.into_iter().collect::<Vec<_>>().into()
    }
}
