//! The folder that takes the recorded calls of a run.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileBlobs, FileError, LogFile};

/// A folder of recorded calls.
#[derive(Clone, Debug)]
pub struct RecordingDir {
    path: PathBuf,
}

impl RecordingDir {
    /// Makes the folder, with those above it. One that is there must be empty:
    /// recordings are not mixed.
    ///
    /// # Errors
    /// When it holds something or cannot be made.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let make = || {
            if let Some(above) = path.parent() {
                disk::create_user_folders(above)?;
            }
            disk::create_private_folder(path)?;
            let mut entries = std::fs::read_dir(path)?;
            let is_empty = entries.next().is_none();
            if !is_empty {
                let message = "it holds something already";
                return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, message));
            }
            std::fs::canonicalize(path)
        };
        let path = make().map_err(FileError::of(Action::Created, path))?;
        Ok(Self { path })
    }

    /// Opens a folder to read from it.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let path = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
        Ok(Self { path })
    }

    /// The folder, with no link in it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file that grows; it is there at once.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn growing(&self, name: &str) -> Result<LogFile, FileError> {
        let file = self.path.join(name);
        LogFile::created(&self.path, name).map_err(FileError::of(Action::Created, &file))
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let file = self.path.join(name);
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        disk::replace(&file, bytes, mode, Durability::FileSynced)
            .map_err(FileError::of(Action::Written, &file))
    }

    /// The contents of the files that calls left.
    #[must_use]
    pub fn blobs(&self) -> FileBlobs {
        FileBlobs::new(self.path.join("blobs"))
    }
}
