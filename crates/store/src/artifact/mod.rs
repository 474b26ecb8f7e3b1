//! The artifact under review, as files.

mod files;
mod restore;
mod scope;
mod sections;
mod seen;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use review::{Artifact, Section, Snapshot};
use review_flow::ContentStore;
use review_types::{Hash, Manifest, UnitId};

use crate::{ConfineError, Reader, Root, RootPath};

pub use files::ArtifactFiles;
pub(crate) use scope::Scope;
use seen::Seen;

/// The files of an artifact: a unit with its spec, a single file, or the Markdown files
/// of a folder.
///
/// Its files are listed again for each snapshot, so a task file that an applier adds is
/// part of the next one.
#[derive(Debug)]
pub struct FileArtifact {
    root: Root,
    scope: Scope,
    /// The files as they were last.
    known: Mutex<SeenFiles>,
}

/// The files by path.
type SeenFiles = Arc<Vec<Arc<Seen>>>;

impl FileArtifact {
    /// A unit: its spec, if it has one, and the Markdown files in its folder.
    #[must_use]
    pub fn unit(root: Root, id: UnitId, dir: RootPath, spec: Option<RootPath>) -> Self {
        Self::new(root, Scope::Unit { id, dir, spec })
    }

    /// A spec without a unit.
    #[must_use]
    pub fn spec(root: Root, spec: RootPath) -> Self {
        Self::new(root, Scope::Spec(spec))
    }

    /// A single file of any kind.
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
            known: Mutex::default(),
        }
    }

    /// Returns the root that contains it.
    #[must_use]
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
    #[must_use]
    pub fn holds(&self, path: &RootPath) -> bool {
        self.scope.holds(path)
    }

    /// Returns the exact bytes of a file below the root; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or is outside of the root.
    pub fn find(&self, path: &RootPath) -> Result<Option<Vec<u8>>, ConfineError> {
        Reader::new(&self.root).bytes(path)
    }

    /// Returns its files as they are now. Those that are certainly unchanged are not read
    /// again.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read or is outside of the root.
    pub fn files(&self) -> Result<ArtifactFiles, ConfineError> {
        let mut known = self.known();
        let hash = self.look(&mut known, None)?;
        Ok(ArtifactFiles::new(Arc::clone(&known), hash))
    }

    fn known(&self) -> MutexGuard<'_, SeenFiles> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, texts: Option<&ContentStore>) -> Result<Snapshot, ConfineError> {
        let mut known = self.known();
        let hash = self.look(&mut known, texts)?;
        Ok(Snapshot {
            manifest: files::manifest(&known),
            hash,
        })
    }

    /// Reads its files, but for those that are certainly unchanged; returns their hash.
    fn look(
        &self,
        known: &mut SeenFiles,
        texts: Option<&ContentStore>,
    ) -> Result<Hash, ConfineError> {
        let mut reader = Reader::new(&self.root);
        let before = std::mem::take(known);
        let mut before = before.iter().peekable();
        let mut now = Vec::with_capacity(before.len());
        for path in self.scope.paths(&mut reader)? {
            while before.next_if(|file| file.path() < path.as_str()).is_some() {}
            let before = before.next_if(|file| file.path() == path.as_str());
            let file = reader.locate(&path)?;
            match before {
                Some(before) if before.holds(&file, texts) => now.push(Arc::clone(before)),
                before => {
                    let before = before.map(Arc::as_ref);
                    let read = Seen::read(&mut reader, &path, before, texts)?;
                    now.extend(read.map(Arc::new));
                }
            }
        }
        let hash = seen::of_files(&now);
        *known = Arc::new(now);
        Ok(hash)
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
