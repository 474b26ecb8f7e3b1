//! The performance of prompt versions: one file per version, next to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use review_learning::config::StoragePath;
use review_learning::measure::{Performance, PerformanceError};

use super::folder::{agent_folder, names, put};
use crate::disk;
use crate::{Action, ConfineError, FileError, Reader, Root, RootPath};

/// The suffix of the file names, after `v` and the number.
const SUFFIX: &str = ".performance.json";

/// These files change with every run and are not part of the tree in which tasks run.
const IGNORED: &[u8] = b".gitignore\n*.performance.json\n";

/// The performance files in the folder of all prompts.
#[derive(Debug)]
pub struct PerformanceFiles<'a> {
    root: &'a Root,
    folder: RootPath,
}

/// A performance file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PerformanceFileError {
    /// The file cannot be accessed.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// The file is not valid.
    #[error("{} is not valid; fix it, or remove it to start again", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: PerformanceError,
    },
}

impl From<FileError> for PerformanceFileError {
    fn from(error: FileError) -> Self {
        Self::File(error.into())
    }
}

impl<'a> PerformanceFiles<'a> {
    /// The performance files of a root whose prompts are in `storage_path`.
    ///
    /// # Errors
    /// Returns an error when the folder is outside of the root.
    pub fn new(root: &'a Root, storage_path: &StoragePath) -> Result<Self, ConfineError> {
        let folder = RootPath::new(storage_path.as_str())?;
        Ok(Self { root, folder })
    }

    /// Reads the performance of a version; that of an unused version if there is no
    /// file.
    ///
    /// # Errors
    /// Returns an error when the file is not valid or cannot be read.
    pub fn read(&self, agent: &str, version: u32) -> Result<Performance, PerformanceFileError> {
        let found = self.find(agent, version)?;
        Ok(found.unwrap_or_else(|| Performance::new(agent, version)))
    }

    /// Reads the performance of a version; `None` if there is no file.
    ///
    /// # Errors
    /// Returns an error when the file is not valid or cannot be read.
    pub fn find(
        &self,
        agent: &str,
        version: u32,
    ) -> Result<Option<Performance>, PerformanceFileError> {
        let path = self.path(agent, version);
        let Some(found) = Reader::new(self.root).content(&path)? else {
            return Ok(None);
        };
        let read = Performance::read(&found.bytes);
        let read = read.and_then(|performance| performance.of(agent, version));
        read.map(Some).map_err(|source| bad(&path, source))
    }

    /// Reads the performance of all used versions, by agent and sorted by number.
    ///
    /// # Errors
    /// Returns an error when a folder or file cannot be read.
    pub fn all(&self) -> Result<BTreeMap<String, Vec<Performance>>, PerformanceFileError> {
        let mut all: BTreeMap<String, Vec<Performance>> = BTreeMap::new();
        for folder in names(self.root, &self.folder)? {
            for read in self.within(&self.folder.child(&folder))? {
                let agent = read.agent().to_owned();
                all.entry(agent).or_default().push(read);
            }
        }
        for versions in all.values_mut() {
            versions.sort_by_key(Performance::version);
        }
        Ok(all)
    }

    /// Reads the performance of all used versions of an agent, sorted by number.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub fn of(&self, agent: &str) -> Result<Vec<Performance>, PerformanceFileError> {
        let mut versions = self.within(&self.folder.child(&agent_folder(agent)))?;
        versions.sort_by_key(Performance::version);
        Ok(versions)
    }

    fn within(&self, folder: &RootPath) -> Result<Vec<Performance>, PerformanceFileError> {
        let mut found = Vec::new();
        for name in names(self.root, folder)? {
            if !name.ends_with(SUFFIX) {
                continue;
            }
            let path = folder.child(&name);
            if let Some(content) = Reader::new(self.root).content(&path)? {
                let read =
                    Performance::read(&content.bytes).map_err(|source| bad(&path, source))?;
                found.extend((self.path(read.agent(), read.version()) == path).then_some(read));
            }
        }
        Ok(found)
    }

    /// Changes the performance of a version, and returns it. Concurrent changes of the
    /// same agent wait.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or written.
    pub fn update(
        &self,
        agent: &str,
        version: u32,
        change: impl FnOnce(&mut Performance),
    ) -> Result<Performance, PerformanceFileError> {
        let path = self.path(agent, version);
        let file = self.root.resolve(&path)?;
        let folder = file.parent().unwrap_or(self.root.path());
        disk::create_user_folders(folder).map_err(FileError::of(Action::Created, folder))?;
        let locked = disk::lock_folder(folder);
        let ignore = self.folder.child(".gitignore");
        self.root.create(&ignore, IGNORED)?;
        // The lock is released with this value.
        let _lock = locked.map_err(FileError::of(Action::Locked, folder))?;
        let mut performance = self.read(agent, version)?;
        change(&mut performance);
        let json = serde_json::to_vec_pretty(&performance);
        put(self.root, &path, json)?;
        Ok(performance)
    }

    fn path(&self, agent: &str, version: u32) -> RootPath {
        let folder = self.folder.child(&agent_folder(agent));
        folder.child(&format!("v{version}{SUFFIX}"))
    }
}

fn bad(path: &RootPath, source: PerformanceError) -> PerformanceFileError {
    PerformanceFileError::Content {
        path: Path::new(path.as_str()).to_owned(),
        source,
    }
}
