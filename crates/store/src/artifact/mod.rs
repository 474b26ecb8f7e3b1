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

use crate::watch::Watch;
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
    known: Mutex<Known>,
}

/// The files as they were last.
#[derive(Debug, Default)]
struct Known {
    /// The files by path.
    files: Arc<Vec<Arc<Seen>>>,
    /// Those that are links.
    links: Vec<RootPath>,
    /// Their hash, unless the last look failed.
    hash: Option<Hash>,
    watch: Watch,
    /// The number of files that were looked at.
    looked_at: u64,
}

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

    /// Returns its files as they are now, without a look at all of them each time.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read or is outside of the root.
    pub fn files(&self) -> Result<ArtifactFiles, ConfineError> {
        let mut known = self.known();
        if let Some(hash) = self.renewed(&mut known) {
            return Ok(known.with(hash));
        }
        let starts = !known.watch.is_whole();
        if !Watch::suits(known.files.len()) {
            known.watch.stop();
        } else if starts {
            let folders = self.scope.folders();
            let folders = folders.iter().map(|path| path.as_str().into());
            known.watch.start(self.root.path(), folders);
        }
        known.watch.looks_at_all();
        let hash = self.look(&mut known, None, starts)?;
        Ok(known.with(hash))
    }

    /// The number of looks at a file.
    #[must_use]
    pub fn looked_at(&self) -> u64 {
        self.known().looked_at
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files that may have changed; `None` if that does not tell how all of
    /// them are now.
    fn renewed(&self, known: &mut Known) -> Option<Hash> {
        let hash = known.hash.take()?;
        let changes = known.watch.changes(known.files.len())?;
        let changed = changes.iter();
        let changed = changed.map(|change| self.root.relative(&change.path));
        let Ok(mut paths) = changed.collect::<Result<Vec<_>, _>>() else {
            known.watch.stop();
            return None;
        };
        paths.retain(|path| self.scope.holds(path));
        for path in &paths {
            known.watch.follow(path.as_str().as_ref());
        }
        let mut reader = Reader::new(&self.root);
        let mut is_same = true;
        for path in paths.iter().chain(&known.links.clone()) {
            known.looked_at += 1;
            let file = reader.locate(path).ok()?;
            let Some(at) = known.at(path) else {
                // A new file. Whether it is one of the artifact is said by its folder.
                match file.symlink_metadata() {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    _ => return None,
                }
            };
            let before = &known.files[at];
            if before.holds(&file, None) {
                continue;
            }
            let now = Seen::read(&mut reader, path, Some(before), None).ok()??;
            if now.is_link && !before.is_link {
                return None;
            }
            is_same &= now.masked == before.masked;
            Arc::make_mut(&mut known.files)[at] = Arc::new(now);
        }
        let hash = match is_same {
            true => hash,
            false => seen::of_files(&known.files),
        };
        known.hash = Some(hash).filter(|_| known.watch.is_whole());
        known.hash
    }

    fn take(&self, texts: Option<&ContentStore>) -> Result<Snapshot, ConfineError> {
        let mut known = self.known();
        let hash = self.look(&mut known, texts, false)?;
        Ok(Snapshot {
            manifest: files::manifest(&known.files),
            hash,
        })
    }

    /// Reads its files, but for those that are certainly unchanged. New ones are watched
    /// from before, and all of them if the watch `starts`.
    fn look(
        &self,
        known: &mut Known,
        texts: Option<&ContentStore>,
        starts: bool,
    ) -> Result<Hash, ConfineError> {
        let mut reader = Reader::new(&self.root);
        known.hash = None;
        let before = std::mem::take(&mut known.files);
        let mut before = before.iter().peekable();
        let mut now = Vec::with_capacity(before.len());
        let listing = self.scope.listing(&mut reader)?;
        if listing.has_dead_link {
            known.watch.stop();
        }
        for path in listing.paths {
            known.looked_at += 1;
            while before.next_if(|file| file.path() < path.as_str()).is_some() {}
            let before = before.next_if(|file| file.path() == path.as_str());
            if starts || before.is_none() {
                known.watch.follow(path.as_str().as_ref());
            }
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
        let links = now.iter().filter(|file| file.is_link);
        let links = links.map(|file| RootPath::new(file.path()));
        known.links = links.collect::<Result<_, _>>()?;
        let hash = seen::of_files(&now);
        known.files = Arc::new(now);
        known.hash = Some(hash);
        Ok(hash)
    }
}

impl Known {
    fn with(&self, hash: Hash) -> ArtifactFiles {
        ArtifactFiles::new(Arc::clone(&self.files), hash)
    }

    /// The position of a file.
    fn at(&self, path: &RootPath) -> Option<usize> {
        let order = |file: &Arc<Seen>| file.path().cmp(path.as_str());
        self.files.binary_search_by(order).ok()
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
