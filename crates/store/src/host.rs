//! Locks that all runs of a user on a computer share.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::lane::create;
use crate::{Action, FileError, disk};

/// A folder with locks that all runs of a user on a computer share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDir(PathBuf);

/// A lock that is held. It is released with this value, and with the process in any case.
#[derive(Debug)]
pub struct HostLock(#[expect(dead_code, reason = "held, and released when it is closed")] File);

impl HostDir {
    /// Refers to a folder, which need not exist.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the folder.
    #[must_use]
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
}
