//! The state that is kept between the hooks of a client's session.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use review_learning::capture::{Candidate, ClientSession};
use review_types::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic::write_private;
use crate::disk::{self, Durability};
use crate::learning::agent_folder;
use crate::{Action, Area, FileError, LineFile, StateDir};

/// The file of the messages that a model may take for corrections.
const CANDIDATES: &str = "candidates.json";

/// The folder of the sessions, one file each.
#[derive(Debug)]
pub struct CaptureDir {
    path: PathBuf,
    log: PathBuf,
}

impl StateDir {
    /// Opens the folder of the captured sessions, which is created if it does not
    /// exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be created.
    pub fn capture(&self) -> Result<CaptureDir, FileError> {
        Ok(CaptureDir {
            path: self.make(Area::Capture)?,
            log: self.path().join("capture.log"),
        })
    }

    /// Reads the messages that a model may take for corrections; empty if there is no
    /// valid file.
    pub fn candidates(&self) -> Vec<Candidate> {
        let content = disk::read_regular(&self.path().join(CANDIDATES)).ok();
        let candidates = content.and_then(|found| serde_json::from_slice(&found.bytes).ok());
        candidates.unwrap_or_default()
    }
}

impl CaptureDir {
    /// Changes the state of a session, and returns the result of the change. A new
    /// session, or one whose file cannot be parsed, starts with the default. Concurrent
    /// changes wait: a client may call several hooks at the same time.
    ///
    /// # Errors
    /// Returns an error when it cannot be locked or written.
    pub fn update<T, R>(
        &self,
        session: &ClientSession,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, FileError>
    where
        T: Default + Serialize + DeserializeOwned,
    {
        self.change(&self.file(session), change)
    }

    /// Changes the messages that a model may take for corrections, and returns the result
    /// of the change. They are kept when sessions are forgotten.
    ///
    /// # Errors
    /// Returns an error when their file cannot be locked or written.
    pub fn candidates<R>(
        &self,
        change: impl FnOnce(&mut Vec<Candidate>) -> R,
    ) -> Result<R, FileError> {
        self.change(&self.log.with_file_name(CANDIDATES), change)
    }

    fn change<T, R>(&self, file: &Path, change: impl FnOnce(&mut T) -> R) -> Result<R, FileError>
    where
        T: Default + Serialize + DeserializeOwned,
    {
        // The lock is released with this value.
        let _lock = disk::lock_folder(&self.path)?;
        let content = disk::read_regular(file).ok();
        let known = content.and_then(|content| serde_json::from_slice(&content.bytes).ok());
        let mut known: T = known.unwrap_or_default();
        let result = change(&mut known);
        let bytes = serde_json::to_vec(&known).map_err(io::Error::from);
        let bytes = bytes.map_err(FileError::of(Action::Written, file))?;
        write_private(file, &bytes, Durability::Unsynced)?;
        Ok(result)
    }

    /// Removes the sessions without an event since a time.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be read or a file cannot be deleted.
    pub fn forget_before(&self, moment: Timestamp) -> Result<(), FileError> {
        let oldest = moment.unix_ms().div_euclid(1000);
        for entry in disk::entries(&self.path)? {
            let is_old = entry.metadata().is_ok_and(|found| found.mtime() < oldest);
            if is_old {
                crate::delete_file(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Appends a line to the error log.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn log(&self, line: &str) -> Result<(), FileError> {
        let line: String = line.split(['\n', '\r']).collect::<Vec<_>>().join(" ");
        LineFile::open(&self.log)?.append(line.as_bytes())
    }

    fn file(&self, session: &ClientSession) -> PathBuf {
        self.path
            .join(format!("{}.json", agent_folder(session.as_str())))
    }
}
