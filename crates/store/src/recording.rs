//! The folder of the recorded calls of a run.

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
    /// Creates the folder and its parents. An existing folder must be empty, since
    /// recordings cannot be mixed.
    ///
    /// # Errors
    /// Returns an error when it is not empty or cannot be created.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let make = || {
            if let Some(above) = path.parent() {
                disk::create_user_folders(above)?;
            }
            disk::create_private_folder(path)?;
            let mut entries = std::fs::read_dir(path)?;
            let is_empty = entries.next().is_none();
            if !is_empty {
                let message = "it is not empty";
                return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, message));
            }
            std::fs::canonicalize(path)
        };
        let path = make().map_err(FileError::of(Action::Created, path))?;
        Ok(Self { path })
    }

    /// Opens a folder for reading.
    ///
    /// # Errors
    /// Returns an error when it does not exist.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let path = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
        Ok(Self { path })
    }

    /// The path of the folder, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file that is appended to.
    ///
    /// # Errors
    /// Returns an error when it cannot be created.
    pub fn growing(&self, name: &str) -> Result<LogFile, FileError> {
        let file = self.path.join(name);
        LogFile::created(&self.path, name).map_err(FileError::of(Action::Created, &file))
    }

    /// Writes a complete file.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        let file = self.path.join(name);
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        disk::replace(&file, bytes, mode, Durability::FileSynced)
            .map_err(FileError::of(Action::Written, &file))
    }

    /// The content of the files that calls changed.
    #[must_use]
    pub fn blobs(&self) -> FileBlobs {
        FileBlobs::new(self.path.join("blobs"))
    }
}
