//! Files of the user that several programs append lines to.
//!
//! The lock is on the file itself, so programs that know nothing of each other
//! keep out of each other's way. Whoever replaces the file does so under its lock;
//! the next one that gets the lock sees that the path leads to another file and
//! opens that one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError};

/// A file that lines are appended to.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens the file for appending; it is made with the folders above it if it is
    /// missing. A symbolic link is followed.
    ///
    /// # Errors
    /// When it cannot be made or opened.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))?;
        }
        let file = disk::open_user_append(path).map_err(FileError::of(Action::Written, path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Appends a line, which has no end of its own, in one write under the lock
    /// of the file. What stands behind the last line end is ended first, so that
    /// a line whose writer was cut off stays apart from this one.
    ///
    /// # Errors
    /// When the file cannot be locked or written.
    pub fn append(&mut self, line: &[u8]) -> Result<(), FileError> {
        self.locked(|lines| lines.append_locked(&[line, b"\n"].concat()))
    }

    /// Does some work under the lock of the file.
    pub(crate) fn locked<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        self.lock()
            .map_err(FileError::of(Action::Locked, &self.path))?;
        let done = work(self);
        // The lock ends with the process at the latest.
        let _ = self.file.unlock();
        done
    }

    /// Appends lines with their ends in one write, under the lock that the caller
    /// has.
    pub(crate) fn append_locked(&mut self, lines: &[u8]) -> Result<(), FileError> {
        self.write(lines)
            .map_err(FileError::of(Action::Written, &self.path))
    }

    /// Sees that what was appended outlives a loss of power.
    ///
    /// # Errors
    /// When the file cannot be synced.
    pub fn sync(&self) -> Result<(), FileError> {
        let synced = self.file.sync_data();
        synced.map_err(FileError::of(Action::Written, &self.path))
    }

    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if is_ended(&self.file)? {
            self.file.write_all(lines)
        } else {
            self.file.write_all(&[b"\n", lines].concat())
        }
    }

    /// Locks the file that the path leads to now.
    fn lock(&mut self) -> io::Result<()> {
        loop {
            self.file.lock()?;
            if is_at(&self.file, &self.path)? {
                return Ok(());
            }
            self.file = disk::open_user_append(&self.path)?;
        }
    }
}

/// Whether a file is the one that a path leads to.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let opened = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((opened.dev(), opened.ino()) == (found.dev(), found.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file is empty or ends with a line end.
fn is_ended(file: &File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

/// Writes a file anew, in constant memory and in one step: `edit` copies what it
/// reads, up to its end, and returns how much of it it changed. It is called again
/// for what was appended meanwhile by programs that take no lock. A file of which
/// nothing is changed stays as it is. Returns the sum of the changes.
///
/// # Errors
/// When the file cannot be read, locked or replaced, or `edit` fails.
pub fn rewrite_lines(
    path: &Path,
    mut edit: impl FnMut(&mut dyn BufRead, &mut dyn Write) -> io::Result<u64>,
) -> Result<u64, FileError> {
    let real = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
    let locked = LineFile::open(&real).and_then(|mut lines| {
        lines.lock().map_err(FileError::of(Action::Locked, path))?;
        Ok(lines)
    })?;
    rewritten(&locked, &real, &mut edit).map_err(FileError::of(Action::Written, path))
}

fn rewritten(
    locked: &LineFile,
    real: &Path,
    edit: &mut dyn FnMut(&mut dyn BufRead, &mut dyn Write) -> io::Result<u64>,
) -> io::Result<u64> {
    let bits = locked.file.metadata()?.permissions().mode() & 0o7777;
    let source = File::open(real)?;
    let mut changes = 0;
    let write = |target: &mut File| {
        loop {
            let mut output = BufWriter::new(&mut *target);
            changes += edit(&mut BufReader::new(&source), &mut output)?;
            output.flush()?;
            drop(output);
            target.sync_all()?;
            if (&source).stream_position()? >= source.metadata()?.len() {
                return Ok(changes > 0);
            }
        }
    };
    disk::replace_if(real, Mode::Exactly(bits), Durability::Synced, write)?;
    Ok(changes)
}
