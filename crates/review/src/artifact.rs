//! The artifact under review, as the loop sees it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use review_types::{FileEntry, Hash, Manifest};

use review_flow::{ContentStore, hash_bytes};

/// The state of an artifact at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its files, with the exact content.
    pub manifest: Manifest,
    /// Its hash with the status values of task files masked. The loop compares this
    /// hash to see whether the artifact changed.
    pub hash: Hash,
}

/// A part of a file that feedback can refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The headings above it, outermost first; the last one is its own.
    pub headings: Vec<String>,
    /// Its byte range, including its heading and subsections.
    pub span: Range<usize>,
}

/// Reads and restores the artifact.
pub trait Artifact: Send + Sync {
    /// Returns the current state of the artifact. With a store in `texts`, stores the
    /// contents of its files there.
    ///
    /// # Errors
    /// When a file cannot be read or leaves the root.
    fn snapshot(&self, texts: Option<&ContentStore>) -> io::Result<Snapshot>;

    /// Restores the files of `manifest` from their contents in the store `texts`, and deletes
    /// files that it lacks. The statuses of task files stay as they are on disk.
    ///
    /// # Errors
    /// When a file cannot be written or its content is missing.
    fn restore(&self, manifest: &Manifest, texts: &ContentStore) -> io::Result<()>;

    /// Returns the sections of `text`, the content of the file at `path`, in order;
    /// none for an unknown format.
    fn sections(&self, _path: &str, _text: &[u8]) -> Vec<Section> {
        Vec::new()
    }
}

/// An artifact whose files are in memory. Nothing in them is masked.
#[derive(Debug, Default)]
pub struct MemoryArtifact {
    files: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryArtifact {
    /// The reported mode of the files.
    const MODE: u32 = 0o644;

    /// Returns the bytes of a file.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.files().get(path).cloned()
    }

    /// Writes a file.
    pub fn write(&self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files().insert(path.into(), bytes.into());
    }

    /// Deletes a file.
    pub fn delete(&self, path: &str) {
        self.files().remove(path);
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Artifact for MemoryArtifact {
    fn snapshot(&self, texts: Option<&ContentStore>) -> io::Result<Snapshot> {
        let entry = |(path, bytes): (&String, &Vec<u8>)| FileEntry {
            path: path.clone(),
            hash: texts.map_or_else(
                || hash_bytes(bytes),
                |texts| texts.put_file(bytes.as_slice()),
            ),
            mode: Self::MODE,
        };
        let manifest: Manifest = self.files().iter().map(entry).collect();
        let listed = serde_json::to_vec(&manifest)?;
        Ok(Snapshot {
            hash: hash_bytes(&listed),
            manifest,
        })
    }

    fn restore(&self, manifest: &Manifest, texts: &ContentStore) -> io::Result<()> {
        let back = manifest.files().iter().map(|file| {
            let bytes = texts.get(&file.hash).map_err(io::Error::other)?;
            Ok((file.path.clone(), bytes.to_vec()))
        });
        let back = back.collect::<io::Result<_>>()?;
        *self.files() = back;
        Ok(())
    }
}
