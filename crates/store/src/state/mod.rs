//! The state folder: its parts, and its creation.

mod find;
mod run;
mod trash;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_types::RunId;

use crate::disk::{self, Durability};
use crate::{Action, FileBlobs, FileError, Records};

pub use find::RunError;
pub use run::{RUN_VARIABLE, RunDir};
pub use trash::Trash;
pub(crate) use trash::{freed_by, size_of};

/// The name of the state folder under a root.
pub const STATE_DIR: &str = ".ralph-review";

/// The file by which git ignores it.
const IGNORE: &str = ".gitignore";

/// The folder of all state. Only its owner has access, and git ignores it.
#[derive(Clone, Debug)]
pub struct StateDir {
    path: PathBuf,
    temporary: Option<Arc<tempfile::TempDir>>,
}

/// A part of the state folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// A folder for each run.
    Runs,
    /// Content by hash.
    Blobs,
    /// Locks of units.
    Locks,
    /// Completion records.
    Records,
    /// The ledger of findings.
    Findings,
    /// A folder for each analysis of feedback that calls a model.
    Analyses,
    /// A folder for each session of a provider.
    Sessions,
    /// A file for each client session whose corrections are captured.
    Capture,
    /// A cache that can be rebuilt.
    Cache,
    /// Runs that are being deleted.
    Trash,
}

impl Area {
    /// The name of the folder.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Blobs => "blobs",
            Self::Locks => "locks",
            Self::Records => "records",
            Self::Findings => "findings",
            Self::Analyses => "analyses",
            Self::Sessions => "sessions",
            Self::Capture => "capture",
            Self::Cache => "cache",
            Self::Trash => "trash",
        }
    }
}

/// The state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The folder cannot be created or written.
    #[error("cannot use the state folder: {0}; select another one with --state-dir")]
    Unusable(#[from] FileError),
    /// The folder is a link that the user did not specify.
    #[error(
        "the state folder {} is a symbolic link; specify the intended folder with --state-dir",
        .0.display()
    )]
    Link(PathBuf),
}

impl StateDir {
    /// Opens the state folder under a root, and creates it if it does not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be written or is a link, which anyone with write
    /// access to the project could have created.
    pub fn under(root: &Path) -> Result<Self, StateError> {
        let path = root.join(STATE_DIR);
        if path.is_symlink() {
            return Err(StateError::Link(path));
        }
        Self::open(&path)
    }

    /// Opens the state folder at `path`, which the user specified, and creates it and
    /// its parents if they do not exist.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let unusable = FileError::of(Action::Created, path);
        let path = prepare(path).map_err(unusable)?;
        Ok(Self {
            path,
            temporary: None,
        })
    }

    /// Checks that there can be a state folder at `path`. One that is not there is created,
    /// and deleted again.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn check(path: &Path) -> Result<(), StateError> {
        let is_new = !path.exists();
        let opened = Self::open(path)?;
        if is_new {
            let deleted = disk::remove(&opened.path.join(IGNORE));
            let deleted = deleted.and_then(|_| disk::remove_empty_folder(&opened.path));
            deleted.map_err(FileError::of(Action::Deleted, path))?;
        }
        Ok(())
    }

    /// Creates a state folder that is deleted with the last clone of this value.
    ///
    /// # Errors
    /// Returns an error when the system has no folder for temporary files.
    pub fn temporary() -> Result<Self, StateError> {
        let made = tempfile::Builder::new()
            .prefix("ralph-review-")
            .tempdir()
            .map_err(FileError::of(
                Action::Created,
                Path::new("a temporary folder"),
            ))?;
        let path = made.path().to_owned();
        Ok(Self {
            path,
            temporary: Some(Arc::new(made)),
        })
    }

    /// Opens the state folder at `path` for reading, without any checks.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            temporary: None,
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is deleted when the value is dropped.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The path of an area, which may not exist.
    pub fn area(&self, area: Area) -> PathBuf {
        self.path.join(area.as_str())
    }

    /// The content store of all runs.
    pub fn blobs(&self) -> FileBlobs {
        FileBlobs::new(self.area(Area::Blobs))
    }

    /// The completion records.
    pub fn records(&self) -> Records {
        Records::new(self.area(Area::Records))
    }

    /// The folder of a run, which may not exist.
    pub fn run(&self, id: &RunId) -> RunDir {
        RunDir::new(id.clone(), self.area(Area::Runs).join(id.as_str()))
    }

    /// Creates the folder of a new run.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or the id already exists.
    pub fn create_run(&self, id: &RunId) -> Result<RunDir, FileError> {
        self.create_in(Area::Runs, id)
    }

    /// Creates the folder of a new analysis of feedback: it contains the logs of its
    /// calls and no journal.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or the id already exists.
    pub fn create_analysis(&self, id: &RunId) -> Result<RunDir, FileError> {
        self.create_in(Area::Analyses, id)
    }

    fn create_in(&self, area: Area, id: &RunId) -> Result<RunDir, FileError> {
        let folder = self.make(area)?;
        let path = folder.join(id.as_str());
        let made = disk::create_private_folder(&path).and_then(|made| {
            if made {
                disk::sync_folder(&folder)
            } else {
                Err(io::ErrorKind::AlreadyExists.into())
            }
        });
        made.map_err(FileError::of(Action::Created, &path))?;
        Ok(RunDir::new(id.clone(), path))
    }

    /// The path of an area, which is created if it does not exist.
    pub(crate) fn make(&self, area: Area) -> Result<PathBuf, FileError> {
        let path = self.area(area);
        disk::create_private_folder(&path).map_err(FileError::of(Action::Created, &path))?;
        Ok(path)
    }
}

/// Creates the folder with its `.gitignore` and checks that it is writable.
fn prepare(path: &Path) -> io::Result<PathBuf> {
    if !path.is_dir() {
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            disk::create_user_folders(above)?;
        }
        disk::create_private_folder(path)?;
    }
    let path = std::fs::canonicalize(path)?;
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(&path, access)?;
    let ignore = path.join(IGNORE);
    if !ignore.exists() {
        disk::replace_private(&ignore, b"*\n", Durability::Unsynced)?;
    }
    Ok(path)
}
