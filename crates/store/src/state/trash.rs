//! Removal of the folders of runs.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use review_types::RunId;

use super::{Area, RunDir, StateDir};
use crate::disk;
use crate::{Action, FileError};

/// The folder that runs are moved to before they are deleted, with all that belongs to
/// them elsewhere. A deletion that is cut off leaves no half of a run among the runs, and
/// the next one finds here what is left to do. Other processes wait for it.
#[derive(Debug)]
pub struct Trash {
    folder: PathBuf,
    _turn: File,
}

impl StateDir {
    /// Opens the trash, and creates it if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or is a link.
    pub fn open_trash(&self) -> Result<Trash, FileError> {
        let folder = self.make(Area::Trash)?;
        let turn = disk::lock_folder(&folder);
        let turn = turn.map_err(FileError::of(Action::Locked, &folder))?;
        Ok(Trash {
            folder,
            _turn: turn,
        })
    }

    /// Whether the trash contains what a removal that was cut off has left.
    pub fn has_trash(&self) -> bool {
        let entries = std::fs::read_dir(self.area(Area::Trash));
        entries.is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Whether a run is in this state folder.
    pub fn holds(&self, run: &RunDir) -> bool {
        let here = std::fs::canonicalize(self.run(run.id()).path());
        let there = std::fs::canonicalize(run.path());
        matches!((here, there), (Ok(here), Ok(there)) if here == there)
    }
}

impl Trash {
    /// Returns the runs whose removal was cut off.
    ///
    /// # Errors
    /// Returns an error when the trash cannot be listed, or something else in it cannot be
    /// deleted.
    pub fn left(&self) -> Result<Vec<RunDir>, FileError> {
        let listed = |error| FileError::of(Action::Listed, &self.folder)(error);
        let mut left = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(listed)? {
            let entry = entry.map_err(listed)?;
            let run = entry
                .file_name()
                .to_str()
                .and_then(|name| RunId::new(name).ok());
            match run.filter(|_| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                Some(run) => left.push(RunDir::new(run, entry.path())),
                None => delete(&entry.path())?,
            }
        }
        Ok(left)
    }

    /// Moves a run here, where nothing resumes it, and returns where it is now; `None` if a
    /// process is executing it, so that it stays.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be moved.
    pub fn take(&self, run: &RunDir) -> Result<Option<RunDir>, FileError> {
        if run.is_live() {
            return Ok(None);
        }
        let to = self.folder.join(run.id().as_str());
        disk::rename(run.path(), &to).map_err(FileError::of(Action::Deleted, run.path()))?;
        // From here on nothing can resume it: what began before shows by its mark.
        let taken = RunDir::new(run.id().clone(), to.clone());
        if taken.is_live() {
            disk::rename(&to, run.path()).map_err(FileError::of(Action::Deleted, &to))?;
            return Ok(None);
        }
        Ok(Some(taken))
    }

    /// Deletes a run that is here. Links in its folder are deleted, not followed.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be deleted.
    pub fn delete(&self, taken: &RunDir) -> Result<(), FileError> {
        delete(taken.path())
    }
}

fn delete(path: &Path) -> Result<(), FileError> {
    disk::remove_all(path).map_err(FileError::of(Action::Deleted, path))
}

impl RunDir {
    /// The number of bytes of its files. Links count as themselves.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be read.
    pub fn size(&self) -> Result<u64, FileError> {
        size_of(self.path()).map_err(FileError::of(Action::Read, self.path()))
    }
}

/// The number of bytes of the files below a folder. Links count as themselves.
pub(crate) fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => size_of(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}
