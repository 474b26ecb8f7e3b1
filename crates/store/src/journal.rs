//! The journal of a run, as a file.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use review_flow::Journal;

use crate::disk;
use crate::{Action, FileError};

/// An append-only file. Whoever holds the lock of the unit is its only writer,
/// so it needs no lock to guard it; that nobody else writes is checked. Its own
/// lock is a mark: it tells those who read that the run is live.
#[derive(Debug)]
pub struct FileJournal {
    file: File,
    path: PathBuf,
    len: u64,
    torn: bool,
}

/// The journal is not as it was left.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} has {found} bytes where {expected} were written; somebody else changed it",
    path.display()
)]
struct Changed {
    path: PathBuf,
    expected: u64,
    found: u64,
}

impl FileJournal {
    /// Opens the journal at `path`, and makes one where there is none. One process
    /// at a time may have it open.
    ///
    /// # Errors
    /// When it cannot be made or written.
    pub fn open_or_create(path: &Path) -> Result<Self, FileError> {
        match Self::create(path) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => Self::open(path),
            created => created,
        }
    }

    /// Makes the journal of a new run.
    ///
    /// # Errors
    /// When it cannot be made, or there is one.
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
    /// When there is none or it cannot be written.
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

    /// Sees that the file ends where the last append left it. What a failed
    /// append left behind is cut off.
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

/// Marks the run of a journal as live until the file is closed, be it because
/// the process was killed.
fn mark_live(file: &File) {
    // A run without the mark is as good: it is reported as cut off.
    let _ = file.try_lock();
}

/// Whether a process holds the journal at `path` open for writing.
pub(crate) fn is_live(path: &Path) -> bool {
    let marked = File::open(path).map(|file| file.try_lock_shared());
    matches!(marked, Ok(Err(TryLockError::WouldBlock)))
}

impl Journal for FileJournal {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.len).unwrap_or(0));
        self.file.read_to_end(&mut bytes)?;
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
    fn a_journal_is_made_once_and_opened_from_then_on() {
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
    fn what_a_failed_append_left_is_cut_off_by_the_next() {
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
