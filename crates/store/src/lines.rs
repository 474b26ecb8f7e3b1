//! Files of the user to which several programs append lines.
//!
//! The lock is on the file itself, so unrelated programs do not interfere. A program
//! that replaces the file does so under its lock; the next holder of the lock detects
//! that the path leads to another file and opens that one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError};

/// A file to which lines are appended.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens the file for appending; creates it and its folders if they do not exist. A
    /// symbolic link is followed.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or opened.
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

    /// Appends a line without a line end, in one write under the lock of the file. An
    /// unterminated last line is terminated first, so that a partial line of an
    /// interrupted writer stays separate.
    ///
    /// # Errors
    /// Returns an error when the file cannot be locked or written.
    pub fn append(&mut self, line: &[u8]) -> Result<(), FileError> {
        self.locked(|lines| lines.append_locked(&[line, b"\n"].concat()))
    }

    /// Appends the lines, with their line ends, that `missing` returns for the content of
    /// the file, in one write under its lock.
    ///
    /// # Errors
    /// Returns an error when the file cannot be locked, read or written.
    pub fn append_missing(
        &mut self,
        missing: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Result<(), FileError> {
        self.locked(|lines| {
            let content = crate::read_file(&lines.path);
            let content = content.map_err(FileError::of(Action::Read, &lines.path))?;
            match missing(&content) {
                lines if lines.is_empty() => Ok(()),
                missing => lines.append_locked(&missing),
            }
        })
    }

    /// Runs a function under the lock of the file.
    pub(crate) fn locked<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        self.lock()
            .map_err(FileError::of(Action::Locked, &self.path))?;
        let done = work(self);
        // The lock is released with the process at the latest.
        let _ = self.file.unlock();
        done
    }

    /// Appends lines with their line ends in one write, under the caller's lock.
    pub(crate) fn append_locked(&mut self, lines: &[u8]) -> Result<(), FileError> {
        self.write(lines)
            .map_err(FileError::of(Action::Written, &self.path))
    }

    /// Syncs the file, so that appended lines survive a power loss.
    ///
    /// # Errors
    /// Returns an error when the file cannot be synced.
    pub fn sync(&self) -> Result<(), FileError> {
        let synced = self.file.sync_data();
        synced.map_err(FileError::of(Action::Written, &self.path))
    }

    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let written = if is_ended(&self.file)? {
            self.file.write_all(lines)
        } else {
            self.file.write_all(&[b"\n", lines].concat())
        };
        if written.is_err() {
            // Where this fails as well, the next writer terminates the partial line.
            let _ = self.file.set_len(length);
        }
        written
    }

    /// Locks the file at the current path.
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

/// Whether a file is the one at a path.
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

/// Rewrites a file in constant memory and in one step: `edit` copies its input to its
/// end and returns the number of changes. It is called again for lines that programs
/// without a lock append in the meantime. A file without changes is not rewritten.
/// Returns the sum of the changes.
///
/// # Errors
/// Returns an error when the file cannot be read, locked or replaced, or when `edit`
/// fails.
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
    let source = crate::open_file(real)?;
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
