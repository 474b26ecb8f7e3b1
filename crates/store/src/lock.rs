//! One run at a time for each unit.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::RunId;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::{Action, Area, FileError, StateDir};

/// A note of who holds a lock is never longer.
const MAX_NOTE: u64 = 16 * 1024;

/// The lock of a unit. It ends with this value, and with the process however
/// that ends.
#[derive(Debug)]
pub struct Lock {
    folder: PathBuf,
    file: File,
    left: Option<Holder>,
}

/// Who holds a lock, or held it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The run.
    pub run: RunId,
    /// The process.
    pub pid: u32,
}

/// Another run holds the lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is in use by {}", path.display(), holder_text(holder.as_ref()))]
pub struct Held {
    /// What is locked.
    pub path: PathBuf,
    /// Who holds it, if it has said so.
    pub holder: Option<Holder>,
}

fn holder_text(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || "another run, which has not said which one it is".to_owned(),
        |holder| format!("run {} (process {})", holder.run, holder.pid),
    )
}

/// Why a lock was not got.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run holds it.
    #[error(transparent)]
    Held(#[from] Held),
    /// There is nothing at the path.
    #[error("there is no {} any more", .0.display())]
    Missing(PathBuf),
    /// Its file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Lock {
    /// Takes the lock of what is at `path`, a unit's folder or a file, or says
    /// at once who holds it. Links on the way make no difference.
    ///
    /// # Errors
    /// [`LockError::Held`] when another run has it, be it in this process;
    /// [`LockError::Missing`] when there is nothing to lock.
    pub fn acquire(state: &StateDir, path: &Path, run: &RunId) -> Result<Self, LockError> {
        let real = real(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LockError::Missing(path.to_owned()),
            _ => FileError::of(Action::Locked, path)(error).into(),
        })?;
        let folder = state.make(Area::Locks)?;
        let lock = folder.join(file_name(&real));
        let _turn = turn(&folder);
        let failed = |error| FileError::of(Action::Locked, &lock)(error);
        let mut file = disk::open_private(&lock).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read_note(&mut file).map_err(failed)?;
                return Err(Held { path: real, holder }.into());
            }
            Err(TryLockError::Error(error)) => return Err(failed(error).into()),
        }
        let left = read_note(&mut file).map_err(failed)?;
        let holder = Holder {
            run: run.clone(),
            pid: std::process::id(),
        };
        write_note(&mut file, &holder).map_err(failed)?;
        Ok(Self { folder, file, left })
    }

    /// The run that held the lock before and did not give it back: its process
    /// was killed, and a program that it had started may still be there.
    #[must_use]
    pub fn left_by(&self) -> Option<&Holder> {
        self.left.as_ref()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _turn = turn(&self.folder);
        // A note that stays makes the next holder look for what is gone: no harm.
        let _ = self.file.set_len(0);
        // It is given back within the turn, so that nobody finds it without a note.
        let _ = self.file.unlock();
    }
}

/// The path without links on the way. A file that is gone, which a run may have
/// to put back, has the lock that it had.
fn real(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (path.parent(), path.file_name()) {
                (Some(folder), Some(name)) => Ok(std::fs::canonicalize(folder)?.join(name)),
                _ => Err(error),
            }
        }
        real => real,
    }
}

/// Waits for the turn to take a lock with its note, to read the note, or to
/// give both back, which takes no longer than writing a line. On a file system
/// that locks no folders there are no turns, and a note may come late.
fn turn(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// The name says which unit it is, its hash which path.
fn file_name(path: &Path) -> String {
    let hash = hash_bytes(path.as_os_str().as_encoded_bytes()).short();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(40).collect();
    format!("{name}-{hash}")
}

/// The note in the file; `None` if there is none that can be read.
fn read_note(file: &mut File) -> io::Result<Option<Holder>> {
    file.seek(SeekFrom::Start(0))?;
    let mut note = Vec::new();
    file.take(MAX_NOTE).read_to_end(&mut note)?;
    Ok(serde_json::from_slice(&note).ok())
}

fn write_note(file: &mut File, holder: &Holder) -> io::Result<()> {
    let mut note = serde_json::to_vec(holder)?;
    note.push(b'\n');
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&note)
}
