//! The process group that a run has started, for whoever comes after it.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use crate::disk::{self, Durability, Mode};

/// The file that names the process group of the program that runs. The note that
/// this value has written is taken away with it.
#[derive(Debug)]
pub struct ChildNote {
    path: PathBuf,
    is_written: bool,
}

impl ChildNote {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            is_written: false,
        }
    }

    /// Notes a group that has just started. Without the note the program runs
    /// all the same.
    pub fn write(&mut self, group: impl Display) {
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        let note = group.to_string();
        match disk::replace(&self.path, note.as_bytes(), mode, Durability::Unsynced) {
            Ok(()) => self.is_written = true,
            Err(error) => {
                tracing::warn!("a run after a crash could not end process group {group}: {error}");
            }
        }
    }

    /// Takes the note away, whoever has written it.
    ///
    /// # Errors
    /// When it is there and cannot be taken away.
    pub fn remove(&mut self) -> io::Result<()> {
        self.is_written = false;
        disk::remove(&self.path).map(|_| ())
    }

    /// The group that is noted; `None` if there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> io::Result<Option<String>> {
        match disk::read_regular(&self.path) {
            Ok(content) => Ok(Some(String::from_utf8_lossy(&content.bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for ChildNote {
    fn drop(&mut self) {
        if self.is_written
            && let Err(error) = self.remove()
        {
            tracing::warn!("the note of a program that is over cannot be removed: {error}");
        }
    }
}
