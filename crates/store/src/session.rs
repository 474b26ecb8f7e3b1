//! The sessions of `ralph provide`: their state, and the folder in which the artifact
//! is reviewed.

use review_types::SessionId;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic::write_private;
use crate::disk::{self, Durability};
use crate::{Action, Area, FileError, StateDir, StateError};

/// The folder of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDir {
    path: PathBuf,
}

impl StateDir {
    /// The folder of a session; it may not exist.
    pub fn session(&self, id: &SessionId) -> SessionDir {
        SessionDir {
            path: self.area(Area::Sessions).join(id.as_str()),
        }
    }

    /// Creates the folder of a session, if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be created.
    pub fn make_session(&self, id: &SessionId) -> Result<SessionDir, FileError> {
        self.make(Area::Sessions)?;
        let session = self.session(id);
        for folder in [session.path.clone(), session.artifact_folder()] {
            disk::create_private_folder(&folder)
                .map_err(FileError::of(Action::Created, &folder))?;
        }
        Ok(session)
    }
}

impl SessionDir {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that contains only the artifact.
    pub fn artifact_folder(&self) -> PathBuf {
        self.path.join("artifact")
    }

    /// The state folder of the reviews in this session; created if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn state(&self) -> Result<StateDir, StateError> {
        StateDir::open(&self.path.join("state"))
    }

    /// Reads the state of the session; `None` before the first response.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or parsed.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, FileError> {
        let file = self.file();
        let found = disk::found(disk::read_state(&file));
        let read = found.and_then(|found| {
            let read = found
                .map(|bytes| serde_json::from_slice(&bytes))
                .transpose();
            Ok(read?)
        });
        read.map_err(FileError::of(Action::Read, &file))
    }

    /// Writes the state of the session, atomically.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write(&self, value: &impl Serialize) -> Result<(), FileError> {
        let file = self.file();
        let bytes = serde_json::to_vec(value).map_err(io::Error::from);
        let bytes = bytes.map_err(FileError::of(Action::Written, &file))?;
        write_private(&file, &bytes, Durability::Synced)
    }

    /// Writes an artifact into its folder, replacing one with the same name.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn put_artifact(&self, name: &str, content: &[u8]) -> Result<(), FileError> {
        write_private(
            &self.artifact_folder().join(name),
            content,
            Durability::Synced,
        )
    }

    fn file(&self) -> PathBuf {
        self.path.join("session.json")
    }
}
