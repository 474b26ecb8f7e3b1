//! Removal of the folders of runs.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
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
        let _turn = disk::lock_folder(&folder)?;
        Ok(Trash { folder, _turn })
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
        let mut left = Vec::new();
        for entry in disk::entries(&self.folder)? {
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
    /// The number of bytes that its deletion frees.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be read.
    pub fn size(&self) -> Result<u64, FileError> {
        freed_by(self.path()).map_err(FileError::of(Action::Read, self.path()))
    }
}

/// The number of bytes on disk that the deletion of a folder frees: a file that has another
/// name frees nothing. Links count as themselves.
pub(crate) fn freed_by(folder: &Path) -> io::Result<u64> {
    const BLOCK: u64 = 512;
    let freed = |found: &Metadata| match found.is_dir() || found.nlink() == 1 {
        true => found.blocks() * BLOCK,
        false => 0,
    };
    Ok(freed(&folder.symlink_metadata()?) + sum_below(folder, &freed)?)
}

/// The number of bytes of the files below a folder. Links count as themselves.
pub(crate) fn size_of(folder: &Path) -> io::Result<u64> {
    sum_below(folder, &|found| {
        if found.is_dir() { 0 } else { found.len() }
    })
}

fn sum_below(folder: &Path, bytes: &dyn Fn(&Metadata) -> u64) -> io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        sum += bytes(&found);
        if found.is_dir() {
            sum += sum_below(&entry.path(), bytes)?;
        }
    }
    Ok(sum)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test makes the files it counts"
)]
mod tests {
    use super::*;

    #[test]
    fn a_file_frees_its_blocks_unless_it_has_another_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (counted, other) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::create_dir_all(counted.join("deep")).expect("a folder");
        let empty = freed_by(&counted).expect("a size");
        let file = counted.join("deep/file");
        std::fs::write(&file, [7; 70_000]).expect("a file");
        File::open(&file)
            .expect("a file")
            .sync_all()
            .expect("synced");
        let own = file.symlink_metadata().expect("a file").blocks() * 512;
        assert!(own >= 69_632, "{own}");
        assert_eq!(freed_by(&counted).expect("a size"), empty + own);
        assert_eq!(size_of(&counted).expect("a size"), 70_000);
        std::fs::hard_link(&file, &other).expect("a name");
        assert_eq!(freed_by(&counted).expect("a size"), empty);
    }
}
