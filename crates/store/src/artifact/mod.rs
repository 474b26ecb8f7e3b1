//! The artifact under review, as files.

mod hash;
mod restore;
mod scope;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use review::{Artifact, Snapshot, Texts, hash_bytes};
use review_types::{FileEntry, Hash, Manifest, UnitId};

use crate::{ConfineError, Reader, Root, RootPath};

pub(crate) use scope::Scope;

/// The files of an artifact: a unit with its spec, a single file, or the
/// Markdown files of a folder.
///
/// What belongs to it is looked up anew each time, so a task file that an
/// applier adds is part of the next snapshot.
#[derive(Debug)]
pub struct FileArtifact {
    root: Root,
    scope: Scope,
    /// The masked hash of each file that was seen last, with the exact hash
    /// that it belongs to: front matter is parsed only when a file changed.
    masked: Mutex<HashMap<String, (Hash, Hash)>>,
}

impl FileArtifact {
    /// A unit: its spec, if it has one, and the Markdown files in its folder.
    #[must_use]
    pub fn unit(root: Root, id: UnitId, dir: RootPath, spec: Option<RootPath>) -> Self {
        Self::new(root, Scope::Unit { id, dir, spec })
    }

    /// A spec that has no unit.
    #[must_use]
    pub fn spec(root: Root, spec: RootPath) -> Self {
        Self::new(root, Scope::Spec(spec))
    }

    /// A single file, whatever it is.
    #[must_use]
    pub fn file(root: Root, file: RootPath) -> Self {
        Self::new(root, Scope::File(file))
    }

    /// The Markdown files directly in a folder.
    #[must_use]
    pub fn folder(root: Root, dir: RootPath) -> Self {
        Self::new(root, Scope::Folder(dir))
    }

    fn new(root: Root, scope: Scope) -> Self {
        Self {
            root,
            scope,
            masked: Mutex::default(),
        }
    }

    /// The root that it lies in.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The paths of its files as they are now, in order.
    ///
    /// # Errors
    /// When a folder cannot be listed or leads out of the root.
    pub fn paths(&self) -> Result<Vec<RootPath>, ConfineError> {
        self.scope.paths(&mut Reader::new(&self.root))
    }

    /// The exact bytes of a file below the root.
    ///
    /// # Errors
    /// When it cannot be read or leads out of the root.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, ConfineError> {
        Reader::new(&self.root).read(path)
    }

    fn take(&self, texts: Option<&Texts>) -> Result<Snapshot, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let mut masked = self.masked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashMap::with_capacity(masked.len());
        let mut files = Vec::new();
        let mut hashes = Vec::new();
        for path in self.scope.paths(&mut reader)? {
            let Some(content) = reader.content(&path)? else {
                continue;
            };
            let bytes: Arc<[u8]> = content.bytes.into();
            let hash = match texts {
                Some(texts) => texts.put(Arc::clone(&bytes)),
                None => hash_bytes(&bytes),
            };
            let path = path.to_string();
            let known = masked.get(&path).filter(|(exact, _)| *exact == hash);
            let without_status = known.map_or_else(|| hash::masked(&bytes, hash), |known| known.1);
            seen.insert(path.clone(), (hash, without_status));
            hashes.push((path.clone(), without_status));
            files.push(FileEntry {
                path,
                hash,
                mode: content.mode,
            });
        }
        *masked = seen;
        Ok(Snapshot {
            manifest: files.into(),
            hash: hash::of_files(&hashes),
        })
    }
}

impl Artifact for FileArtifact {
    fn snapshot(&self, texts: Option<&Texts>) -> io::Result<Snapshot> {
        Ok(self.take(texts)?)
    }

    fn restore(&self, manifest: &Manifest, texts: &Texts) -> io::Result<()> {
        restore::restore(&self.root, &self.scope, manifest, texts)
    }
}
