//! One run at a time for each unit.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::RunId;
use serde::{Deserialize, Serialize};

use crate::disk::{self, Links};
use crate::{Action, Area, FileError, StateDir};

/// The maximum size of a note about the holder of a lock.
const MAX_NOTE: u64 = 16 * 1024;

/// The lock of a unit. It is released with this value, and with the process in any
/// case.
#[derive(Debug)]
pub struct Lock {
    folder: PathBuf,
    file: File,
    left: Option<Holder>,
}

/// The current or a previous holder of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The run.
    pub run: RunId,
    /// The process.
    pub pid: u32,
}

/// The lock is held by another run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is in use by {}", path.display(), holder_text(holder.as_ref()))]
pub struct Held {
    /// The locked path.
    pub path: PathBuf,
    /// The holder, if known.
    pub holder: Option<Holder>,
}

fn holder_text(holder: Option<&Holder>) -> String {
    holder.map_or_else(
        || "another run, whose id is unknown".to_owned(),
        |holder| format!("run {} (process {})", holder.run, holder.pid),
    )
}

/// The reason why a lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run holds it.
    #[error(transparent)]
    Held(#[from] Held),
    /// The path does not exist.
    #[error("{} no longer exists", .0.display())]
    Missing(PathBuf),
    /// The lock file cannot be accessed.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Lock {
    /// Acquires the lock of `path`, a unit's folder or a file, or returns its holder
    /// without waiting. Links in the path make no difference.
    ///
    /// # Errors
    /// [`LockError::Held`] if another run, possibly of this process, holds it;
    /// [`LockError::Missing`] if the path does not exist.
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

    /// The holder of the lock of `path` as it is noted, also one that was killed.
    pub fn holder(state: &StateDir, path: &Path) -> Option<Holder> {
        let folder = state.area(Area::Locks);
        let note = folder.join(file_name(&real(path).ok()?));
        let (mut file, _) = disk::open_regular(&note, Links::Refused).ok()?;
        let _turn = turn(&folder);
        read_note(&mut file).ok()?
    }

    /// The previous holder that did not release the lock: its process was killed, and a
    /// program that it started may still be running.
    pub fn left_by(&self) -> Option<&Holder> {
        self.left.as_ref()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _turn = turn(&self.folder);
        // A remaining note only makes the next holder search for a process that no
        // longer exists.
        let _ = self.file.set_len(0);
        // It is released before the folder lock, so that no process finds it without a
        // note.
        let _ = self.file.unlock();
    }
}

/// The path without links. A missing file, which a run may have to restore, has the
/// same lock as before.
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

/// Waits for the folder lock, under which a lock is taken or released with its note, or
/// the note is read; each takes no longer than writing a line. On a file system without
/// folder locks, a note may be late.
fn turn(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// The name of the unit followed by the hash of its path.
fn file_name(path: &Path) -> String {
    let hash = hash_bytes(path.as_os_str().as_encoded_bytes()).short();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().take(40).collect();
    format!("{name}-{hash}")
}

/// The note in the file; `None` if it cannot be read.
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
