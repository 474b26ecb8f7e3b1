//! Paths that cannot leave the root.
//!
//! A [`RootPath`] stays below the root by its text; [`Root::resolve`] follows
//! the links on its way and refuses those that lead out.

mod path;
mod reader;

use std::io;
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::Hash;

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError};

pub use path::RootPath;
pub use reader::{Overlay, Reader};

/// Why a path is not used.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// Its text leads out of the root.
    #[error("{} is outside the root{}", path.display(), root_hint(root.as_deref()))]
    Outside {
        /// The path.
        path: PathBuf,
        /// The root, where it is known.
        root: Option<PathBuf>,
    },
    /// A symbolic link on it leads out of the root.
    #[error("{path} is a symbolic link to {}, which is outside the root", target.display())]
    LinkOut {
        /// The path.
        path: RootPath,
        /// Where it leads.
        target: PathBuf,
    },
    /// A symbolic link on it leads to nothing.
    #[error("{path} is a symbolic link to nothing")]
    DeadLink {
        /// The path.
        path: RootPath,
    },
    /// It is not UTF-8, so that no journal could name it.
    #[error("the name {} is not UTF-8; rename the file", path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
}

fn root_hint(root: Option<&Path>) -> String {
    root.map_or_else(String::new, |root| format!(" {}", root.display()))
}

impl From<ConfineError> for io::Error {
    fn from(error: ConfineError) -> Self {
        let kind = match &error {
            ConfineError::Outside { .. } | ConfineError::LinkOut { .. } => {
                io::ErrorKind::PermissionDenied
            }
            ConfineError::DeadLink { .. } => io::ErrorKind::NotFound,
            ConfineError::NotUtf8 { .. } => io::ErrorKind::InvalidData,
            ConfineError::File(error) => error.source.kind(),
        };
        Self::new(kind, error)
    }
}

/// The folder that nothing leads out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    real: PathBuf,
    given: PathBuf,
}

impl Root {
    /// Opens a folder as root. Links on the way to it are followed.
    ///
    /// # Errors
    /// When it does not exist or is no folder.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let real = std::fs::canonicalize(path).map_err(FileError::of(Action::Read, path))?;
        if !real.is_dir() {
            let error = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(FileError::of(Action::Listed, path)(error));
        }
        Ok(Self {
            real,
            given: path.to_owned(),
        })
    }

    /// The root itself, with no link in it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// The root as it was named, where links may be on the way to it.
    #[must_use]
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// The path of a file as seen from the root: `path` is absolute, or
    /// relative to the root already. Nothing need exist there.
    ///
    /// # Errors
    /// [`ConfineError`] when it lies outside the root or is not UTF-8.
    pub fn relative(&self, path: &Path) -> Result<RootPath, ConfineError> {
        if path.is_relative() {
            return self.inside(path);
        }
        let below = [&self.real, &self.given]
            .into_iter()
            .find_map(|root| path.strip_prefix(root).ok());
        if let Some(below) = below {
            return self.inside(below);
        }
        // The user may have come to the root by another link.
        let real = path.ancestors().find_map(|above| {
            let real = std::fs::canonicalize(above).ok()?;
            Some(real.join(path.strip_prefix(above).ok()?))
        });
        match real.as_deref().map(|real| real.strip_prefix(&self.real)) {
            Some(Ok(below)) => self.inside(below),
            _ => Err(self.outside(path)),
        }
    }

    fn inside(&self, path: &Path) -> Result<RootPath, ConfineError> {
        RootPath::from_path(path).map_err(|error| match error {
            ConfineError::Outside { path, .. } => self.outside(&path),
            error => error,
        })
    }

    fn outside(&self, path: &Path) -> ConfineError {
        ConfineError::Outside {
            path: path.to_owned(),
            root: Some(self.given.clone()),
        }
    }

    /// The absolute path with every link followed. What does not exist yet is
    /// appended to what does.
    ///
    /// # Errors
    /// [`ConfineError`] when a link leads out of the root or to nothing.
    pub fn resolve(&self, path: &RootPath) -> Result<PathBuf, ConfineError> {
        let whole = joined(self.real.clone(), Path::new(path.as_str()));
        if self.has_no_link(path) {
            return Ok(whole);
        }
        let mut missing = PathBuf::new();
        for above in whole.ancestors() {
            match std::fs::canonicalize(above) {
                Ok(real) if real.starts_with(&self.real) => {
                    return Ok(joined(real, &missing));
                }
                Ok(target) => {
                    let path = path.clone();
                    return Err(ConfineError::LinkOut { path, target });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && above != self.real => {
                    // What is there now and no link was made in between, and
                    // stands in its folder under its own name.
                    let found = above.symlink_metadata();
                    if found.is_ok_and(|found| found.is_symlink()) {
                        return Err(ConfineError::DeadLink { path: path.clone() });
                    }
                    missing = joined(
                        PathBuf::from(above.file_name().unwrap_or_default()),
                        &missing,
                    );
                }
                Err(error) => return Err(FileError::of(Action::Read, above)(error).into()),
            }
        }
        Err(self.outside(&whole))
    }

    /// Whether everything on the way exists and nothing of it is a link: what
    /// is usual, and told with one question for each part.
    fn has_no_link(&self, path: &RootPath) -> bool {
        let mut whole = self.real.clone();
        path.as_str().split('/').all(|part| {
            whole.push(part);
            let found = whole.symlink_metadata();
            found.is_ok_and(|found| !found.is_symlink())
        })
    }

    /// Replaces a file of the user or makes a new one, atomically and durably.
    /// A link stays a link, and the permissions stay.
    ///
    /// # Errors
    /// When the path leaves the root or cannot be written.
    pub fn replace(&self, path: &RootPath, bytes: &[u8]) -> Result<(), ConfineError> {
        let file = self.resolve(path)?;
        Ok(crate::atomic::replace_file(&file, bytes)?)
    }

    /// Makes a new file with the folders that it needs; `false`, and nothing
    /// is touched, if there is something at the path already.
    ///
    /// # Errors
    /// When the path leaves the root or cannot be written.
    pub fn create(&self, path: &RootPath, bytes: &[u8]) -> Result<bool, ConfineError> {
        let file = self.resolve(path)?;
        if let Some(folder) = file.parent() {
            disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))?;
        }
        match disk::create(&file, bytes, Mode::OfUser) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(FileError::of(Action::Created, &file)(error).into()),
        }
    }

    /// Turns the file whose bytes have the hash `before` into `after`, where
    /// `None` is no file; `false`, and nothing is touched, if something else
    /// is there.
    ///
    /// # Errors
    /// When the path leaves the root, or cannot be read or written.
    pub fn swap(
        &self,
        path: &RootPath,
        before: Option<Hash>,
        after: Option<&[u8]>,
    ) -> Result<bool, ConfineError> {
        let found = Reader::new(self).content(path)?;
        if found.map(|found| hash_bytes(&found.bytes)) != before {
            return Ok(false);
        }
        match (before, after) {
            (None, None) => Ok(true),
            (None, Some(bytes)) => self.create(path, bytes),
            (Some(_), Some(bytes)) => self.replace(path, bytes).map(|()| true),
            (Some(_), None) => {
                let file = self.resolve(path)?;
                Ok(disk::remove(&file).map_err(FileError::of(Action::Deleted, &file))?)
            }
        }
    }

    /// Replaces a resolved file, of which the folder is synced later.
    pub(crate) fn put_back(file: &Path, bytes: &[u8], mode: u32) -> Result<(), FileError> {
        disk::replace(file, bytes, Mode::Exactly(mode), Durability::FileSynced)
            .map_err(FileError::of(Action::Written, file))
    }
}

/// Joins without a trailing separator for an empty second part.
fn joined(first: PathBuf, second: &Path) -> PathBuf {
    if second.as_os_str().is_empty() {
        first
    } else {
        first.join(second)
    }
}
