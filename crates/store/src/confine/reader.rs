//! Reads many files below the root and checks each of their folders once.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{ConfineError, Root, RootPath};
use crate::disk::{self, Content};
use crate::{Action, FileError};

/// Reads files of a root. A folder is checked when its first file is read, so
/// a reader is for one moment: make a new one for the next.
#[derive(Debug)]
pub struct Reader<'a> {
    root: &'a Root,
    folders: HashMap<String, PathBuf>,
}

impl<'a> Reader<'a> {
    /// A reader below `root`.
    #[must_use]
    pub fn new(root: &'a Root) -> Self {
        Self {
            root,
            folders: HashMap::new(),
        }
    }

    /// The bytes of the file at `path`, which is relative to the root.
    ///
    /// # Errors
    /// When the path leaves the root, or the file is missing, is no regular
    /// file, or is larger than 64 MiB.
    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, ConfineError> {
        let path = RootPath::new(path)?;
        match self.content(&path)? {
            Some(content) => Ok(content.bytes),
            None => {
                let missing = io::Error::from(io::ErrorKind::NotFound);
                let path = self.root.path().join(path.as_str());
                Err(FileError::of(Action::Read, &path)(missing).into())
            }
        }
    }

    /// The file at `path`; `None` if there is none.
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

    /// The folder at `path` with every link followed; it may be missing.
    pub(crate) fn folder(&mut self, path: &str) -> Result<&Path, ConfineError> {
        if !self.folders.contains_key(path) {
            let real = self.root.resolve(&RootPath::new(path)?)?;
            self.folders.insert(path.to_owned(), real);
        }
        Ok(self.folders.get(path).map_or(Path::new(""), |real| real))
    }

    /// The absolute path of a file, of which only the name may be a link.
    pub(crate) fn locate(&mut self, path: &RootPath) -> Result<PathBuf, ConfineError> {
        let (folder, name) = path.split();
        Ok(self.folder(folder)?.join(name))
    }
}

fn existing(read: io::Result<Content>, path: &Path) -> Result<Option<Content>, ConfineError> {
    match read {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::of(Action::Read, path)(error).into()),
    }
}
