//! What is remembered between two hooks of a session of a client.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use review_types::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::{self, Durability, Mode};
use crate::learning::agent_folder;
use crate::{Action, Area, FileError, LineFile, StateDir};

/// The folder of the sessions, a file each.
#[derive(Debug)]
pub struct CaptureDir {
    path: PathBuf,
    log: PathBuf,
}

impl StateDir {
    /// The sessions whose corrections are captured; the folder is made if it is
    /// missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn capture(&self) -> Result<CaptureDir, FileError> {
        Ok(CaptureDir {
            path: self.make(Area::Capture)?,
            log: self.path().join("capture.log"),
        })
    }
}

impl CaptureDir {
    /// Changes what is remembered of a session, where one that is new, or of which
    /// nothing can be read, begins anew; returns what the change does. Others who
    /// change something wait: a client calls hooks at the same time.
    ///
    /// # Errors
    /// When it cannot be locked or written.
    pub fn update<T, R>(
        &self,
        session: &str,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, FileError>
    where
        T: Default + Serialize + DeserializeOwned,
    {
        // The lock ends with this value.
        let _lock =
            disk::lock_folder(&self.path).map_err(FileError::of(Action::Locked, &self.path))?;
        let file = self.file(session);
        let content = disk::read_regular(&file).ok();
        let known = content.and_then(|content| serde_json::from_slice(&content.bytes).ok());
        let mut known: T = known.unwrap_or_default();
        let result = change(&mut known);
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        let written = serde_json::to_vec(&known).map_err(io::Error::from);
        written
            .and_then(|bytes| disk::replace(&file, &bytes, mode, Durability::Unsynced))
            .map_err(FileError::of(Action::Written, &file))?;
        Ok(result)
    }

    /// Forgets the sessions of which nothing was heard since a moment.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file cannot be deleted.
    pub fn forget_before(&self, moment: Timestamp) -> Result<(), FileError> {
        let oldest = moment.unix_ms().div_euclid(1000);
        let listed = FileError::of(Action::Listed, &self.path);
        for entry in std::fs::read_dir(&self.path).map_err(listed)? {
            let entry = entry.map_err(FileError::of(Action::Listed, &self.path))?;
            let path = entry.path();
            let is_old = entry.metadata().is_ok_and(|found| found.mtime() < oldest);
            if is_old {
                disk::remove(&path).map_err(FileError::of(Action::Deleted, &path))?;
            }
        }
        Ok(())
    }

    /// Appends a line to the log of what went wrong.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn log(&self, line: &str) -> Result<(), FileError> {
        let line: String = line.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
        LineFile::open(&self.log)?.append(line.as_bytes())
    }

    fn file(&self, session: &str) -> PathBuf {
        self.path.join(format!("{}.json", agent_folder(session)))
    }
}
