//! The artifact under review, as files.

mod restore;
mod scope;
mod sections;

use std::io;
use std::sync::Arc;

use review::{Artifact, Section, Snapshot};
use review_document::artifact_hash;
use review_flow::{ContentStore, hash_bytes};
use review_types::{FileEntry, Manifest, UnitId};

use crate::{ConfineError, Reader, Root, RootPath};

pub(crate) use scope::Scope;

/// The files of an artifact: a unit with its spec, a single file, or the Markdown files
/// of a folder.
///
/// Its files are listed again for each snapshot, so a task file that an applier adds is
/// part of the next one.
#[derive(Debug)]
pub struct FileArtifact {
    root: Root,
    scope: Scope,
}

impl FileArtifact {
    /// A unit: its spec, if it has one, and the Markdown files in its folder.
    pub fn unit(root: Root, id: UnitId, dir: RootPath, spec: Option<RootPath>) -> Self {
        Self::new(root, Scope::Unit { id, dir, spec })
    }

    /// A single file of any kind.
    pub fn file(root: Root, file: RootPath) -> Self {
        Self::new(root, Scope::File(file))
    }

    /// The Markdown files directly in a folder.
    pub fn folder(root: Root, dir: RootPath) -> Self {
        Self::new(root, Scope::Folder(dir))
    }

    fn new(root: Root, scope: Scope) -> Self {
        Self { root, scope }
    }

    /// Returns the root that contains it.
    pub fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the paths of its current files, in order.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be listed or is outside of the root.
    pub fn paths(&self) -> Result<Vec<RootPath>, ConfineError> {
        self.scope.paths(&mut Reader::new(&self.root))
    }

    /// Returns the total size of its files in bytes.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read or is outside of the root.
    pub fn size(&self) -> Result<usize, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let mut size = 0;
        for path in self.scope.paths(&mut reader)? {
            size += match std::fs::symlink_metadata(reader.locate(&path)?) {
                Ok(looks) if looks.is_file() => usize::try_from(looks.len()).unwrap_or(usize::MAX),
                // A link counts with the size of its target.
                _ => reader.bytes(&path)?.map_or(0, |bytes| bytes.len()),
            };
        }
        Ok(size)
    }

    /// Returns the exact bytes of a file below the root.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or is outside of the root.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, ConfineError> {
        Reader::new(&self.root).read(path)
    }

    /// Whether a file at this path is, or would be, part of it.
    pub fn holds(&self, path: &RootPath) -> bool {
        self.scope.holds(path)
    }

    fn take(&self, texts: Option<&ContentStore>) -> Result<Snapshot, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let mut files: Vec<(RootPath, Arc<[u8]>, u32)> = Vec::new();
        for path in self.scope.paths(&mut reader)? {
            if let Some(content) = reader.content(&path)? {
                files.push((path, content.bytes.into(), content.mode));
            }
        }
        let hash = artifact_hash(
            files
                .iter()
                .map(|(path, bytes, _)| (path.as_str(), &**bytes)),
        );
        let entries = files.into_iter().map(|(path, bytes, mode)| FileEntry {
            path: path.to_string(),
            hash: match texts {
                Some(texts) => texts.put_file(bytes),
                None => hash_bytes(&bytes),
            },
            mode,
        });
        Ok(Snapshot {
            manifest: entries.collect(),
            hash,
        })
    }
}

impl Artifact for FileArtifact {
    fn snapshot(&self, texts: Option<&ContentStore>) -> io::Result<Snapshot> {
        Ok(self.take(texts)?)
    }

    fn restore(&self, manifest: &Manifest, texts: &ContentStore) -> io::Result<()> {
        restore::restore(&self.root, &self.scope, manifest, texts)
    }

    fn sections(&self, path: &str, text: &[u8]) -> Vec<Section> {
        sections::of(path, text)
    }
}
