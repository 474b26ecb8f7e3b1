//! The journal of a run, as a file.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use review_flow::Journal;

use crate::disk::{self, Links, MAX_STATE};
use crate::{Action, FileError};

/// An append-only file. The holder of the unit's lock is its only writer, so it needs
/// no lock for protection; changes by others are detected. Its own lock only marks the
/// run as live for readers.
#[derive(Debug)]
pub struct FileJournal {
    file: File,
    path: PathBuf,
    len: u64,
    torn: bool,
}

/// The journal was changed by another process.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} was changed by another process: expected {expected} bytes, found {found}",
    path.display()
)]
struct Changed {
    path: PathBuf,
    expected: u64,
    found: u64,
}

impl FileJournal {
    /// Opens the journal at `path`, or creates it if it does not exist. Only one
    /// process at a time may open it.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or written.
    pub fn open_or_create(path: &Path) -> Result<Self, FileError> {
        match Self::create(path) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => Self::open(path),
            created => created,
        }
    }

    /// Creates the journal of a new run.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or already exists.
    pub(crate) fn create(path: &Path) -> Result<Self, FileError> {
        let made = disk::create_private(path)
            .and_then(|_| disk::sync_folder(path.parent().unwrap_or(path)))
            .and_then(|()| disk::open_append(path));
        let file = made.map_err(FileError::of(Action::Created, path))?;
        mark_live(&file);
        Ok(Self {
            file,
            path: path.to_owned(),
            len: 0,
            torn: false,
        })
    }

    /// Opens the journal of an earlier run.
    ///
    /// # Errors
    /// Returns an error when it does not exist or cannot be written.
    pub(crate) fn open(path: &Path) -> Result<Self, FileError> {
        let opened = disk::open_append(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (len, file) = opened.map_err(FileError::of(Action::Read, path))?;
        mark_live(&file);
        Ok(Self {
            file,
            path: path.to_owned(),
            len,
            torn: false,
        })
    }

    /// Checks that the file ends where the last append ended. The rest of a failed
    /// append is removed.
    fn settle(&mut self) -> io::Result<()> {
        let found = self.file.metadata()?.len();
        if found == self.len {
            return Ok(());
        }
        if self.torn && found > self.len {
            return self.file.set_len(self.len);
        }
        Err(io::Error::other(Changed {
            path: self.path.clone(),
            expected: self.len,
            found,
        }))
    }
}

/// Marks the run of a journal as live until the file is closed, even if the process is
/// killed.
fn mark_live(file: &File) {
    // A run without the mark works too: it is reported as interrupted.
    let _ = file.try_lock();
}

/// Whether a process has the journal at `path` open for writing.
pub(crate) fn is_live(path: &Path) -> bool {
    let opened = disk::open_regular(path, Links::Refused);
    let marked = opened.map(|(file, _)| file.try_lock_shared());
    matches!(marked, Ok(Err(TryLockError::WouldBlock)))
}

impl Journal for FileJournal {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        let bytes = disk::read_up_to(&mut self.file, self.len, MAX_STATE)?;
        let found = bytes.len() as u64;
        if found < self.len {
            return Err(io::Error::other(Changed {
                path: self.path.clone(),
                expected: self.len,
                found,
            }));
        }
        self.len = found;
        Ok(bytes)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if len > self.len {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.settle()?;
        self.file.set_len(len)?;
        self.file.sync_data()?;
        self.len = len;
        Ok(())
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.settle()?;
        self.torn = true;
        self.file.write_all(lines)?;
        self.file.sync_data()?;
        self.torn = false;
        self.len += lines.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_created_once_and_opened_from_then_on() {
        let folder = tempfile::Builder::new().tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let mut journal = FileJournal::open_or_create(&path).expect("made");
        journal.append(b"one\n").expect("appended");
        drop(journal);
        let mut journal = FileJournal::open_or_create(&path).expect("opened");
        journal.append(b"two\n").expect("appended");
        assert_eq!(journal.read().expect("read"), b"one\ntwo\n");
    }

    #[test]
    fn the_rest_of_a_failed_append_is_removed_by_the_next() {
        let folder = tempfile::Builder::new().tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let mut journal = FileJournal::create(&path).expect("new");
        journal.append(b"one\n").expect("appended");
        journal.torn = true;
        journal.file.write_all(b"tw").expect("a part of a line");
        journal.append(b"two\n").expect("appended");
        assert!(!journal.torn);
        assert_eq!(journal.read().expect("read"), b"one\ntwo\n");
    }
}
