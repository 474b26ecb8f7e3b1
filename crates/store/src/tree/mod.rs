//! The hash of everything that a command could read from the tree.

mod cache;
mod entry;
mod files;
mod kept;

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use review_types::Hash;
use serde::{Deserialize, Serialize};

use crate::stamp::FileTime;
use crate::{Action, Area, FileError, Root, StateDir, disk};
use cache::Cache;
use entry::Kind;

pub use files::{FileList, TreeFiles};
pub use kept::KeptFiles;

/// The hash of a tree: paths, content without the statuses of tasks, links and
/// executable bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeHash(Hash);

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The part of the content that is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Everything except the statuses of tasks, which change.
    WithoutStatuses,
    /// Every byte.
    Exact,
}

impl Contents {
    const fn cache_name(self) -> &'static str {
        match self {
            Self::WithoutStatuses => "tree",
            Self::Exact => "exact",
        }
    }
}

/// Hashes a tree repeatedly, and reads only files whose size, inode or times changed.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    state: Option<PathBuf>,
    contents: Contents,
    cache: Cache,
    cache_path: PathBuf,
}

impl Tree {
    /// Opens the tree below `root` with the cache in `state`. A cache that cannot be
    /// read or created is empty.
    pub fn open(root: &Root, state: &StateDir, contents: Contents) -> Self {
        let made = state.make(Area::Cache);
        let folder = made.unwrap_or_else(|_| state.area(Area::Cache));
        let name = review_flow::hash_bytes(root.path().as_os_str().as_bytes()).short();
        let cache_path = folder.join(format!("{}-{name}", contents.cache_name()));
        let below = state.path().strip_prefix(root.path()).ok();
        Self {
            root: root.path().to_owned(),
            state: below.map(Path::to_owned),
            contents,
            cache: Cache::load(&cache_path),
            cache_path,
        }
    }

    /// Hashes the listed files.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub fn hash(&mut self, files: &FileList) -> Result<TreeHash, FileError> {
        Ok(self.files(files)?.hash())
    }

    /// Reads the state of the listed files. Listed files that do not exist are skipped,
    /// as is the state folder.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub fn files(&mut self, files: &FileList) -> Result<TreeFiles, FileError> {
        let mut all = TreeFiles::default();
        let now = FileTime::now();
        let mut cache = self.cache.renew();
        for path in files.paths() {
            if self.is_state(path) {
                continue;
            }
            let look = self.look(path, |file, metadata| match cache.keep(path, metadata) {
                Some(hash) => Ok(hash),
                None => entry::file(path, file, self.contents)
                    .inspect(|hash| cache.insert(path, metadata, *hash, now)),
            })?;
            if let Some((kind, hash)) = look {
                all.push(path.clone(), kind, hash);
            }
        }
        self.cache = cache.end();
        Ok(all)
    }

    /// Looks at a file, whose content `hash` hashes.
    fn look(
        &self,
        path: &Path,
        hash: impl FnOnce(&Path, &Metadata) -> io::Result<Hash>,
    ) -> Result<Option<(Kind, Hash)>, FileError> {
        let file = self.root.join(path);
        let found = file.symlink_metadata().and_then(|metadata| {
            let kind = Kind::of(&metadata);
            let hash = match kind {
                Kind::Other => return Ok(None),
                Kind::Link => entry::link(&file)?,
                Kind::File | Kind::Executable => hash(&file, &metadata)?,
            };
            Ok(Some((kind, hash)))
        });
        match found {
            Err(error) if disk::is_gone(&error) => Ok(None),
            found => found.map_err(FileError::of(Action::Read, &file)),
        }
    }

    /// Whether a path is in the state folder.
    fn is_state(&self, path: &Path) -> bool {
        let state = self.state.as_ref();
        state.is_some_and(|state| path.starts_with(state))
    }

    /// Writes the cache for the next run, which hashes all files if it has none.
    ///
    /// # Errors
    /// Returns an error when the state folder cannot be written.
    pub fn save(&mut self) -> Result<(), FileError> {
        self.cache
            .save(&self.cache_path)
            .map_err(FileError::of(Action::Written, &self.cache_path))
    }
}
