//! Paths that cannot leave the root.
//!
//! A [`RootPath`] is lexically below the root; [`Root::resolve`] follows its links and
//! rejects those that lead out.

mod path;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{self, Durability, Links, Mode};
use crate::{Action, FileError};

pub use path::RootPath;
pub use reader::{Overlay, Reader};

/// The reason why a path is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The path leads out of the root.
    #[error("{} is outside the root{}", path.display(), root_hint(root.as_deref()))]
    Outside {
        /// The path.
        path: PathBuf,
        /// The root, if known.
        root: Option<PathBuf>,
    },
    /// The path has a symbolic link out of the root.
    #[error("{path} is a symbolic link to {}, which is outside the root", target.display())]
    LinkOut {
        /// The path.
        path: RootPath,
        /// The target of the link.
        target: PathBuf,
    },
    /// The path has a dangling symbolic link.
    #[error("{path} is a dangling symbolic link")]
    DeadLink {
        /// The path.
        path: RootPath,
    },
    /// The path is not UTF-8 and cannot be written to a journal.
    #[error("the name {} is not UTF-8; rename the file", path.display())]
    NotUtf8 {
        /// The path.
        path: PathBuf,
    },
    /// Something else is in place of a Markdown file.
    #[error("{path} is {is}, not a file")]
    NotAFile {
        /// The path.
        path: RootPath,
        /// What it is, with its article.
        is: &'static str,
    },
    /// The file cannot be accessed.
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
            ConfineError::NotAFile { .. } => io::ErrorKind::InvalidInput,
            ConfineError::File(error) => error.source.kind(),
        };
        Self::new(kind, error)
    }
}

/// The folder to which all paths are confined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    real: PathBuf,
    given: PathBuf,
}

impl Root {
    /// Opens a folder as the root. Links in its path are followed.
    ///
    /// # Errors
    /// Returns an error when it does not exist or is not a folder.
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

    /// The path of the root, without links.
    pub fn path(&self) -> &Path {
        &self.real
    }

    /// The root as it was named, where links may be on the way to it.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// Returns the path of a file relative to the root: `path` is absolute, or already
    /// relative to the root. It need not exist.
    ///
    /// # Errors
    /// [`ConfineError`] if it is outside of the root or not UTF-8.
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
        // The user may have used another link to the root.
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

    /// Returns the absolute path with every link followed. Components that do not exist
    /// are appended.
    ///
    /// # Errors
    /// [`ConfineError`] if a link leads out of the root or is dangling.
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
                    // Exists now, was not created as a link in the meantime, and is in
                    // its folder under its own name.
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

    /// Whether no component that exists is a link, which is the usual case and needs one
    /// system call per component.
    fn has_no_link(&self, path: &RootPath) -> bool {
        let mut whole = self.real.clone();
        for part in path.as_str().split('/') {
            whole.push(part);
            match whole.symlink_metadata() {
                Ok(found) if !found.is_symlink() => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return self.real.is_dir(),
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }

    /// Returns whether the path is a symbolic link, or below one.
    pub fn leads_over_link(&self, path: &RootPath) -> bool {
        let mut whole = self.real.clone();
        path.as_str().split('/').any(|part| {
            whole.push(part);
            let found = whole.symlink_metadata();
            found.is_ok_and(|found| found.is_symlink())
        })
    }

    /// Reads a file; `None` if it does not exist.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root, or when the file is not a regular
    /// file or is larger than 64 MiB.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, ConfineError> {
        Reader::new(self).bytes(&RootPath::new(path)?)
    }

    /// Opens a regular file, for a caller that reads it in bounded memory; `None` if it
    /// does not exist.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root, or when the file is not a regular
    /// file.
    pub fn open_file(&self, path: &str) -> Result<Option<File>, ConfineError> {
        let real = self.resolve(&RootPath::new(path)?)?;
        let found = disk::found(disk::open_regular(&real, Links::Refused));
        let found = found.map_err(FileError::of(Action::Read, &real))?;
        Ok(found.map(|(file, _)| file))
    }

    /// Replaces or creates a file of the user, atomically and durably. Links and
    /// permissions are kept.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root or cannot be written.
    pub fn replace(&self, path: &RootPath, bytes: &[u8]) -> Result<(), ConfineError> {
        let file = self.resolve(path)?;
        Ok(crate::atomic::replace_file(&file, bytes)?)
    }

    /// Creates a file and its folders; `false`, without any change, if the path already
    /// exists.
    ///
    /// # Errors
    /// Returns an error when the path leaves the root or cannot be written.
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

    /// Creates files and their folders, all of them or none; those of one new folder
    /// appear together, so that a kill leaves none of them either. Returns the first that
    /// already exists, if one does.
    ///
    /// # Errors
    /// Returns an error when a path leaves the root or cannot be written.
    pub fn create_all(
        &self,
        files: &BTreeMap<RootPath, impl AsRef<[u8]>>,
    ) -> Result<Option<RootPath>, ConfineError> {
        let folders: BTreeSet<_> = files.keys().map(RootPath::parent).collect();
        if let (1, Some(folder)) = (folders.len(), folders.first())
            && !self.resolve(folder)?.exists()
        {
            return self.create_folder(folder, files).map(|()| None);
        }
        let mut made = Vec::new();
        let stopped =
            files
                .iter()
                .find_map(|(path, bytes)| match self.create(path, bytes.as_ref()) {
                    Ok(true) => {
                        made.push(path);
                        None
                    }
                    Ok(false) => Some(Ok(path.clone())),
                    Err(error) => Some(Err(error)),
                });
        let Some(stopped) = stopped else {
            return Ok(None);
        };
        for path in made {
            let file = self.resolve(path)?;
            disk::remove(&file).map_err(FileError::of(Action::Deleted, &file))?;
        }
        stopped.map(Some)
    }

    fn create_folder(
        &self,
        folder: &RootPath,
        files: &BTreeMap<RootPath, impl AsRef<[u8]>>,
    ) -> Result<(), ConfineError> {
        let path = self.resolve(folder)?;
        let fill = |made: &Path| {
            let mut files = files.iter();
            files.try_for_each(|(file, bytes)| {
                disk::create(&made.join(file.split().1), bytes.as_ref(), Mode::OfUser)
            })
        };
        disk::create_user_folders(path.parent().unwrap_or(&self.real))
            .and_then(|()| disk::create_folder(&path, fill))
            .map_err(|error| FileError::of(Action::Created, &path)(error).into())
    }

    /// Replaces a resolved file; the caller syncs its folder.
    pub(crate) fn replace_resolved(file: &Path, bytes: &[u8], mode: u32) -> Result<(), FileError> {
        disk::replace(file, bytes, Mode::Exactly(mode), Durability::FileSynced)
            .map_err(FileError::of(Action::Written, file))
    }
}

/// Joins two paths, without a trailing separator if the second is empty.
fn joined(first: PathBuf, second: &Path) -> PathBuf {
    if second.as_os_str().is_empty() {
        first
    } else {
        first.join(second)
    }
}
