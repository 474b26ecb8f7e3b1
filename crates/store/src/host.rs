//! Locks that all runs of a user on a computer share.

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::lane::create;
use crate::{Action, FileError, disk};

/// A folder with locks that all runs of a user on a computer share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDir(PathBuf);

/// A lock that is held. It is released with this value, and with the process in any case.
#[derive(Debug)]
pub struct HostLock(File);

/// The maximum number of bytes that are read of the name of a holder.
const LONGEST_HOLDER: u64 = 1024;

impl HostDir {
    /// Refers to a folder, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Acquires a lock without waiting; `None` if it is held, possibly by this process.
    ///
    /// # Errors
    /// Returns an error when its file cannot be created or locked.
    pub fn try_lock(&self, name: impl AsRef<Path>) -> Result<Option<HostLock>, FileError> {
        let (file, path) = self.open(name.as_ref())?;
        match file.try_lock() {
            Ok(()) => Ok(Some(HostLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(FileError::of(Action::Locked, &path)(error)),
        }
    }

    /// Acquires a lock once nobody holds it.
    ///
    /// # Errors
    /// Returns an error when its file cannot be created or locked.
    pub fn lock(&self, name: impl AsRef<Path>) -> Result<HostLock, FileError> {
        let (file, path) = self.open(name.as_ref())?;
        file.lock().map_err(FileError::of(Action::Locked, &path))?;
        Ok(HostLock(file))
    }

    /// Acquires a lock without waiting, and notes who holds it.
    ///
    /// # Errors
    /// Returns an error when its file cannot be created, locked or written.
    pub fn try_lock_as(
        &self,
        name: impl AsRef<Path>,
        holder: &str,
    ) -> Result<Option<HostLock>, FileError> {
        let lock = self.try_lock(name.as_ref())?;
        if let Some(HostLock(file)) = &lock {
            let path = self.0.join(name);
            file.set_len(0)
                .and_then(|()| file.write_all_at(holder.as_bytes(), 0))
                .map_err(FileError::of(Action::Written, &path))?;
        }
        Ok(lock)
    }

    /// Returns who noted that they hold a lock, which may be released since.
    pub fn holder(&self, name: impl AsRef<Path>) -> Option<String> {
        let file = File::open(self.0.join(name)).ok()?;
        let mut holder = String::new();
        file.take(LONGEST_HOLDER).read_to_string(&mut holder).ok()?;
        Some(holder)
    }

    fn open(&self, name: &Path) -> Result<(File, PathBuf), FileError> {
        let path = self.0.join(name);
        let folder = path.parent().unwrap_or(&self.0);
        create(folder).map_err(FileError::of(Action::Created, folder))?;
        let file = disk::open_private(&path).map_err(FileError::of(Action::Locked, &path))?;
        Ok((file, path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder_until_it_is_released() {
        let folder = tempfile::TempDir::new().unwrap();
        let host = HostDir::at(folder.path().join("host"));
        let held = host.try_lock("seats/0").unwrap();
        assert!(held.is_some());
        assert!(host.try_lock("seats/0").unwrap().is_none());
        assert!(host.try_lock("seats/1").unwrap().is_some());
        drop(held);
        assert!(host.try_lock("seats/0").unwrap().is_some());
    }

    #[test]
    fn a_lock_is_acquired_once_its_holder_releases_it() {
        let folder = tempfile::TempDir::new().unwrap();
        let host = HostDir::at(folder.path().join("host"));
        let held = host.lock("seats/0").unwrap();
        let waits = std::thread::spawn({
            let host = host.clone();
            move || host.lock("seats/0").map(drop)
        });
        assert!(!waits.is_finished());
        drop(held);
        waits.join().unwrap().unwrap();
    }

    #[test]
    fn a_lock_names_its_last_holder() {
        let folder = tempfile::TempDir::new().unwrap();
        let host = HostDir::at(folder.path().join("host"));
        assert_eq!(host.holder("gates/0"), None);
        for name in ["ralph-c0ffee-1", "ralph-1"] {
            let held = host.try_lock_as("gates/0", name).unwrap();
            assert!(held.is_some());
            assert!(host.try_lock_as("gates/0", "other").unwrap().is_none());
            assert_eq!(host.holder("gates/0"), Some(name.to_owned()));
        }
    }
}
