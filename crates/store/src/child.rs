//! The process groups that a run started, for a resume after a crash.

use std::fmt::Display;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Mode};

const PREFIX: &str = "child-";

/// A file with the process group of a running program. It is removed when the value
/// that wrote it is dropped.
#[derive(Debug)]
pub struct ChildNote {
    run: PathBuf,
    path: Option<PathBuf>,
    is_written: bool,
}

/// Where the process groups of programs are noted.
#[derive(Clone, Debug)]
pub struct ChildSlot(PathBuf);

impl ChildSlot {
    /// In the folder of a run.
    pub(crate) fn new(run: PathBuf) -> Self {
        Self(run)
    }

    /// The note of a program that is started next.
    pub fn note(&self) -> ChildNote {
        ChildNote {
            run: self.0.clone(),
            path: None,
            is_written: false,
        }
    }
}

impl ChildNote {
    /// The notes in the folder of a run.
    pub(crate) fn all(run: &Path) -> io::Result<Vec<Self>> {
        let mut notes = Vec::new();
        for entry in std::fs::read_dir(run)? {
            let entry = entry?;
            if entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
                notes.push(Self {
                    run: run.to_owned(),
                    path: Some(entry.path()),
                    is_written: false,
                });
            }
        }
        Ok(notes)
    }

    /// Writes the note of a group that has just started, in a file named after the
    /// first word of its name. An error is only logged: the program runs anyway.
    pub fn write(&mut self, group: impl Display) {
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        let note = group.to_string();
        let name = note.split(' ').next().unwrap_or_default();
        let path = self.run.join(format!("{PREFIX}{name}"));
        match disk::replace(&path, note.as_bytes(), mode, Durability::Unsynced) {
            Ok(()) => self.is_written = true,
            Err(error) => {
                tracing::warn!(
                    "cannot record process group {group}, so a resume after a crash cannot terminate it: {error}"
                );
            }
        }
        self.path = Some(path);
    }

    /// Removes the note, even if another process wrote it.
    ///
    /// # Errors
    /// Returns an error when it exists and cannot be removed.
    pub fn remove(&mut self) -> io::Result<()> {
        self.is_written = false;
        match &self.path {
            Some(path) => disk::remove(path).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns the recorded group; `None` without a note.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read.
    pub fn read(&self) -> io::Result<Option<String>> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        match disk::read_regular(path) {
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
            tracing::warn!("cannot remove the note of a finished program: {error}");
        }
    }
}
