//! The artifact under review, as files.

mod restore;
mod scope;
mod sections;
mod seen;

use std::io;
use std::sync::{Mutex, PoisonError};

use review::{Artifact, Section, Snapshot};
use review_flow::ContentStore;
use review_types::{Manifest, UnitId};

use crate::{ConfineError, Reader, Root, RootPath};

pub(crate) use scope::Scope;
use seen::Seen;

/// The files of an artifact: a unit with its spec, a single file, or the
/// Markdown files of a folder.
///
/// What belongs to it is looked up anew each time, so a task file that an
/// applier adds is part of the next snapshot.
#[derive(Debug)]
pub struct FileArtifact {
    root: Root,
    scope: Scope,
    /// The files of the last snapshot, by path.
    seen: Mutex<Vec<Seen>>,
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
            seen: Mutex::default(),
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

    /// The bytes of all its files together.
    ///
    /// # Errors
    /// When one cannot be read or leads out of the root.
    pub fn size(&self) -> Result<usize, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let mut size = 0;
        for path in self.scope.paths(&mut reader)? {
            size += match std::fs::symlink_metadata(reader.locate(&path)?) {
                Ok(looks) if looks.is_file() => usize::try_from(looks.len()).unwrap_or(usize::MAX),
                // A link leads to what counts.
                _ => reader.bytes(&path)?.map_or(0, |bytes| bytes.len()),
            };
        }
        Ok(size)
    }

    /// The exact bytes of a file below the root.
    ///
    /// # Errors
    /// When it cannot be read or leads out of the root.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, ConfineError> {
        Reader::new(&self.root).read(path)
    }

    /// Whether a file at this path is part of it, or would be.
    #[must_use]
    pub fn holds(&self, path: &RootPath) -> bool {
        self.scope.holds(path)
    }

    /// The exact bytes of a file below the root; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read or leads out of the root.
    pub fn find(&self, path: &RootPath) -> Result<Option<Vec<u8>>, ConfineError> {
        Reader::new(&self.root).bytes(path)
    }

    fn take(&self, texts: Option<&ContentStore>) -> Result<Snapshot, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = Vec::with_capacity(seen.len());
        for path in self.scope.paths(&mut reader)? {
            let before = seen.binary_search_by(|file| file.path().cmp(path.as_str()));
            let before = before.ok().map(|at| &seen[at]);
            let file = reader.locate(&path)?;
            match before.filter(|before| before.holds(&file, texts)) {
                Some(before) => now.push(before.clone()),
                None => now.extend(Seen::read(&mut reader, &path, before, texts)?),
            }
        }
        *seen = now;
        Ok(Snapshot {
            manifest: seen.iter().map(|file| file.entry.clone()).collect(),
            hash: seen::of_files(&seen),
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
