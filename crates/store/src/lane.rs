//! The folder of a lane, outside of the user's checkout.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Mode};
use crate::state::{freed_by, size_of};
use crate::{Action, FileError};

const PROGRAM: u32 = 0o700;

/// The folder of a lane: its repository, its checkouts and its notes. All names are
/// relative to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneDir(PathBuf);

impl LaneDir {
    /// Refers to a folder, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of an entry.
    pub fn entry(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// Returns how many bytes are free for files in the folder.
    ///
    /// # Errors
    /// Returns an error when the system does not say.
    pub fn free_space(&self) -> Result<u64, FileError> {
        let is_there = |folder: &&Path| folder.is_dir();
        let folder = self.0.ancestors().find(is_there).unwrap_or(&self.0);
        let found = rustix::fs::statvfs(folder).map_err(io::Error::from);
        let found = found.map_err(FileError::of(Action::Read, folder))?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// Creates a folder and those above it, which only their owner can access.
    ///
    /// # Errors
    /// Returns an error when it cannot be created.
    pub fn create_folder(&self, name: impl AsRef<Path>) -> Result<PathBuf, FileError> {
        let folder = self.entry(name);
        create(&folder).map_err(FileError::of(Action::Created, &folder))?;
        Ok(folder)
    }

    /// Reads a file; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be read.
    pub fn read(&self, name: impl AsRef<Path>) -> Result<Option<Vec<u8>>, FileError> {
        let path = self.entry(name);
        let found = disk::found(disk::read_regular(&path));
        let found = found.map_err(FileError::of(Action::Read, &path))?;
        Ok(found.map(|content| content.bytes))
    }

    /// Writes a file, atomically and durably.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
        let private = Mode::Exactly(disk::PRIVATE_FILE);
        self.write_with(name.as_ref(), bytes, private, Durability::Synced)
    }

    /// Writes a file atomically that can be made again if the system fails.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write_unsynced(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
        self.write_with(name.as_ref(), bytes, Mode::OfUser, Durability::Unsynced)
    }

    /// Copies a file, wherever it is, to an entry that can be made again if the system
    /// fails.
    ///
    /// # Errors
    /// Returns an error when it cannot be copied.
    pub fn copy(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FileError> {
        let to = self.entry(to);
        disk::copy(from.as_ref(), &to).map_err(FileError::of(Action::Written, &to))
    }

    /// Creates a link.
    ///
    /// # Errors
    /// Returns an error when it cannot be created.
    pub fn link(&self, target: &Path, name: impl AsRef<Path>) -> Result<(), FileError> {
        let link = self.entry(name);
        disk::create_link(target, &link).map_err(FileError::of(Action::Created, &link))
    }

    /// Copies a folder to an entry that is not there, with the times of its files, if these
    /// have at most `most` bytes together; false if they have more.
    ///
    /// # Errors
    /// Returns an error when a file cannot be copied.
    pub fn copy_folder(
        &self,
        from: &Path,
        to: impl AsRef<Path>,
        most: u64,
    ) -> Result<bool, FileError> {
        let bytes = size_of(from).map_err(FileError::of(Action::Read, from))?;
        if bytes > most {
            return Ok(false);
        }
        let to = self.create_folder(to)?;
        disk::copy_folder(from, &to).map_err(FileError::of(Action::Written, &to))?;
        Ok(true)
    }

    /// Writes a program that its owner can run.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write_program(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
        let program = Mode::Exactly(PROGRAM);
        self.write_with(name.as_ref(), bytes, program, Durability::Synced)
    }

    fn write_with(
        &self,
        name: &Path,
        bytes: &[u8],
        mode: Mode,
        durability: Durability,
    ) -> Result<(), FileError> {
        let path = self.entry(name);
        disk::replace(&path, bytes, mode, durability).map_err(FileError::of(Action::Written, &path))
    }

    /// Moves an entry to another name.
    ///
    /// # Errors
    /// Returns an error when it cannot be moved.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FileError> {
        let (from, to) = (self.entry(from), self.entry(to));
        disk::rename(&from, &to).map_err(FileError::of(Action::Written, &to))
    }

    /// Returns the number of bytes that its deletion frees; `None` if the folder does not
    /// exist. Objects that it shares with the repository of the user stay.
    ///
    /// # Errors
    /// Returns an error when a folder in it cannot be read.
    pub fn size(&self) -> Result<Option<u64>, FileError> {
        match freed_by(&self.0) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if !self.0.exists() && error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::of(Action::Read, &self.0)(error)),
        }
    }

    /// Deletes the folder with all that is in it, if it exists. Links are deleted, not
    /// followed. Its own files, which say what it is of, go last, so that a deletion that
    /// is cut off can be made again.
    ///
    /// # Errors
    /// Returns an error when something cannot be deleted.
    pub fn delete(&self) -> Result<(), FileError> {
        for entry in disk::entries(&self.0)? {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.remove(entry.file_name())?;
            }
        }
        disk::remove_all(&self.0).map_err(FileError::of(Action::Deleted, &self.0))
    }

    /// Deletes an entry with all that is in it, if it exists. Links are deleted, not
    /// followed.
    ///
    /// # Errors
    /// Returns an error when something cannot be deleted.
    pub fn remove(&self, name: impl AsRef<Path>) -> Result<(), FileError> {
        let path = self.entry(name);
        disk::remove_all(&path).map_err(FileError::of(Action::Deleted, &path))
    }
}

/// Gives a folder the files of another one that it lacks, below the same paths: as links
/// where the file system has them, else as copies. No process may write to such a file.
///
/// # Errors
/// Returns an error when a folder cannot be read or made, or a file not be shared.
pub fn share_files(from: &Path, to: &Path) -> Result<(), FileError> {
    disk::create_user_folders(to).map_err(FileError::of(Action::Created, to))?;
    for entry in disk::entries(from)? {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry
            .file_type()
            .map_err(FileError::of(Action::Read, &from))?;
        if kind.is_dir() {
            share_files(&from, &to)?;
        } else if kind.is_file() && to.symlink_metadata().is_err() {
            disk::share(&from, &to).map_err(FileError::of(Action::Created, &to))?;
        }
    }
    Ok(())
}

/// Creates a folder and those above it, which only their owner can access.
pub(crate) fn create(folder: &Path) -> io::Result<()> {
    match disk::create_private_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match folder.parent() {
            Some(above) => {
                create(above)?;
                disk::create_private_folder(folder).map(|_| ())
            }
            None => Err(error),
        },
        created => created.map(|_| ()),
    }
}
