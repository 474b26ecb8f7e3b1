//! Reads many files below the root and checks each of their folders once.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use super::{ConfineError, Root, RootPath};
use crate::disk::{self, Content};
use crate::{Action, FileError};

/// Content that is read in place of files, whether they exist or not: unsaved changes
/// of an editor, or the result of fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay(BTreeMap<RootPath, Vec<u8>>);

impl Overlay {
    /// Sets the content of a file.
    pub fn insert(&mut self, path: RootPath, bytes: impl Into<Vec<u8>>) {
        self.0.insert(path, bytes.into());
    }

    /// Returns the content of a file.
    pub fn get(&self, path: &RootPath) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// Iterates over all paths and their content, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&RootPath, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path, bytes.as_slice()))
    }
}

/// Reads files of a root. A folder is checked when its first file is read, so a reader
/// should be short-lived.
#[derive(Debug)]
pub struct Reader<'a> {
    root: &'a Root,
    overlay: Option<&'a Overlay>,
    folders: HashMap<String, PathBuf>,
}

impl<'a> Reader<'a> {
    /// Creates a reader below `root`.
    pub fn new(root: &'a Root) -> Self {
        Self {
            root,
            overlay: None,
            folders: HashMap::new(),
        }
    }

    /// Returns the reader with an overlay, whose content is read instead of the files.
    pub fn over(mut self, overlay: &'a Overlay) -> Self {
        self.overlay = Some(overlay);
        self
    }

    /// The files directly in a folder of the overlay.
    pub(crate) fn overlaid(&self, folder: &RootPath) -> impl Iterator<Item = &'a RootPath> {
        let paths = self.overlay.into_iter().flat_map(Overlay::iter);
        paths.filter_map(move |(path, _)| (path.parent() == *folder).then_some(path))
    }

    /// Reads the file at `path`, which is relative to the root.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root, or when the file does not exist,
    /// is not a regular file, or is larger than 64 MiB.
    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, ConfineError> {
        let path = RootPath::new(path)?;
        self.bytes(&path)?.ok_or_else(|| {
            let missing = io::Error::new(io::ErrorKind::NotFound, "no such file");
            let path = self.root.path().join(path.as_str());
            FileError::of(Action::Read, &path)(missing).into()
        })
    }

    /// Reads `path` from the overlay or from disk; `None` if it does not exist.
    pub(crate) fn bytes(&mut self, path: &RootPath) -> Result<Option<Vec<u8>>, ConfineError> {
        match self.overlay.and_then(|overlay| overlay.get(path)) {
            Some(text) => Ok(Some(text.to_owned())),
            None => Ok(self.content(path)?.map(|content| content.bytes)),
        }
    }

    /// Reads the file at `path` from disk; `None` if it does not exist.
    pub(crate) fn content(&mut self, path: &RootPath) -> Result<Option<Content>, ConfineError> {
        let plain = self.locate(path)?;
        match disk::read_regular(&plain) {
            Ok(content) => Ok(Some(content)),
            Err(error) if disk::is_link(&error) => {
                let real = self.root.resolve(path)?;
                existing(disk::read_regular(&real), &real)
            }
            other => existing(other, &plain),
        }
    }

    /// The folder at `path` with every link followed; it may not exist.
    pub(crate) fn folder(&mut self, path: &str) -> Result<&Path, ConfineError> {
        if !self.folders.contains_key(path) {
            let real = self.root.resolve(&RootPath::new(path)?)?;
            self.folders.insert(path.to_owned(), real);
        }
        Ok(self.folders.get(path).map_or(Path::new(""), |real| real))
    }

    /// The absolute path of a file, of which only the last component may be a link.
    pub(crate) fn locate(&mut self, path: &RootPath) -> Result<PathBuf, ConfineError> {
        let (folder, name) = path.split();
        Ok(self.folder(folder)?.join(name))
    }
}

fn existing(read: io::Result<Content>, path: &Path) -> Result<Option<Content>, ConfineError> {
    Ok(disk::found(read).map_err(FileError::of(Action::Read, path))?)
}
