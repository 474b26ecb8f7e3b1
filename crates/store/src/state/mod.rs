//! The state folder: what is in it, and how it comes to be.

mod find;
mod run;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use review_types::RunId;

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileBlobs, FileError, Records};

pub use find::RunError;
pub use run::RunDir;

/// The name of the state folder under a root.
pub const STATE_DIR: &str = ".ralph-review";

/// The folder that everything of ours is kept in. Only its owner can look into
/// it, and git leaves it alone.
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
    /// Texts by their hash.
    Blobs,
    /// Locks of units.
    Locks,
    /// Completion records.
    Records,
    /// The ledger of findings.
    Findings,
    /// A folder for each analysis of feedback that asks somebody.
    Analyses,
    /// A folder for each session of a provider.
    Sessions,
    /// A file for each session of a client whose corrections are captured.
    Capture,
    /// What can be rebuilt.
    Cache,
}

impl Area {
    /// The name of the folder.
    #[must_use]
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
        }
    }
}

/// The state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be made or written.
    #[error("the state folder cannot be used: {0}; name another one with --state-dir")]
    Unusable(#[from] FileError),
    /// It is a link that the user did not name.
    #[error(
        "the state folder {} is a symbolic link; name the folder that is meant with --state-dir",
        .0.display()
    )]
    Link(PathBuf),
}

impl StateDir {
    /// The state folder under a root; made if it is missing.
    ///
    /// # Errors
    /// When it cannot be written, or is a link, which anybody who wrote a file
    /// of the project could have laid.
    pub fn under(root: &Path) -> Result<Self, StateError> {
        let path = root.join(STATE_DIR);
        if path.is_symlink() {
            return Err(StateError::Link(path));
        }
        Self::open(&path)
    }

    /// The state folder at `path`, which the user named; made if it is
    /// missing, with the folders above it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        let unusable = FileError::of(Action::Created, path);
        let path = prepare(path).map_err(unusable)?;
        Ok(Self {
            path,
            temporary: None,
        })
    }

    /// A state folder that is deleted with the last clone of this value.
    ///
    /// # Errors
    /// When the system has no folder for temporary files.
    pub fn temporary() -> Result<Self, StateError> {
        let made = tempfile::Builder::new()
            .prefix("ralph-review-")
            .tempdir()
            .map_err(FileError::of(
                Action::Created,
                Path::new("a temporary folder"),
            ))?;
        let path = made.path().to_owned();
        let temporary = Some(Arc::new(made));
        Ok(Self { path, temporary })
    }

    /// The state folder at `path`, for reading: nothing is made or checked.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            temporary: None,
        }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is deleted at the end.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The path of a part; it may not exist yet.
    #[must_use]
    pub fn area(&self, area: Area) -> PathBuf {
        self.path.join(area.as_str())
    }

    /// The texts of all runs.
    #[must_use]
    pub fn blobs(&self) -> FileBlobs {
        FileBlobs::new(self.area(Area::Blobs))
    }

    /// The completion records.
    #[must_use]
    pub fn records(&self) -> Records {
        Records::new(self.area(Area::Records))
    }

    /// The folder of a run; it may not exist.
    #[must_use]
    pub fn run(&self, id: &RunId) -> RunDir {
        RunDir::new(id.clone(), self.area(Area::Runs).join(id.as_str()))
    }

    /// Makes the folder of a new run.
    ///
    /// # Errors
    /// When it cannot be made, or there is one of this id.
    pub fn create_run(&self, id: &RunId) -> Result<RunDir, FileError> {
        self.create_in(Area::Runs, id)
    }

    /// Makes the folder of a new analysis of feedback: it holds the logs of its
    /// calls and no journal.
    ///
    /// # Errors
    /// When it cannot be made, or there is one of this id.
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

    /// The path of a part, which is made if it is missing.
    pub(crate) fn make(&self, area: Area) -> Result<PathBuf, FileError> {
        let path = self.area(area);
        disk::create_private_folder(&path).map_err(FileError::of(Action::Created, &path))?;
        Ok(path)
    }
}

/// Makes the folder with its `.gitignore` and sees that it can be written.
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
    let ignore = path.join(".gitignore");
    if !ignore.exists() {
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        disk::replace(&ignore, b"*\n", mode, Durability::Unsynced)?;
    }
    Ok(path)
}
