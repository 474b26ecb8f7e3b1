//! The sessions of `ralph provide`: what each remembers, and the folder in
//! which its artifact is reviewed.

use review_types::SessionId;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::{self, Durability, Mode};
use crate::{Action, Area, FileError, StateDir, StateError};

/// The folder of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDir {
    path: PathBuf,
}

impl StateDir {
    /// The folder of a session; it may not exist.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> SessionDir {
        SessionDir {
            path: self.area(Area::Sessions).join(id.as_str()),
        }
    }

    /// Makes the folder of a session, if it is missing.
    ///
    /// # Errors
    /// When it cannot be made.
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
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that the artifact is in, and nothing of ours.
    #[must_use]
    pub fn artifact_folder(&self) -> PathBuf {
        self.path.join("artifact")
    }

    /// The state folder of the reviews in this session; made if it is missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn state(&self) -> Result<StateDir, StateError> {
        StateDir::open(&self.path.join("state"))
    }

    /// What the session remembers; `None` for a session without an answer.
    ///
    /// # Errors
    /// When it cannot be read, or is nothing of this kind.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, FileError> {
        let file = self.file();
        let read = match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        read.map_err(FileError::of(Action::Read, &file))
    }

    /// Remembers something in the place of what was remembered, atomically.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, value: &impl Serialize) -> Result<(), FileError> {
        let file = self.file();
        let written = serde_json::to_vec(value).map_err(io::Error::from);
        written
            .and_then(|bytes| replace(&file, &bytes))
            .map_err(FileError::of(Action::Written, &file))
    }

    /// Puts an artifact into its folder, in the place of one of that name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put_artifact(&self, name: &str, content: &[u8]) -> Result<(), FileError> {
        let file = self.artifact_folder().join(name);
        replace(&file, content).map_err(FileError::of(Action::Written, &file))
    }

    fn file(&self) -> PathBuf {
        self.path.join("session.json")
    }
}

fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = Mode::Exactly(disk::PRIVATE_FILE);
    disk::replace(file, bytes, mode, Durability::Synced)
}
