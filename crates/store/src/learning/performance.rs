//! The performance of prompt versions: one file per version, next to it.

use std::collections::BTreeMap;

use review_learning::AgentName;
use review_learning::config::StoragePath;
use review_learning::measure::{Performance, PerformanceError};

use super::folder::{AgentFolders, LearningFileError};
use crate::{ConfineError, Root, RootPath};

/// The suffix of the file names, after `v` and the number.
const SUFFIX: &str = ".performance.json";

/// These files change with every run and are not part of the tree in which tasks run.
const IGNORED: &[u8] = b".gitignore\n*.performance.json\n";

/// The performance files in the folder of all prompts.
#[derive(Debug)]
pub struct PerformanceFiles {
    folders: AgentFolders,
}

impl PerformanceFiles {
    /// The performance files of a root whose prompts are in `storage_path`.
    ///
    /// # Errors
    /// Returns an error when the folder is outside of the root.
    pub fn new(root: &Root, storage_path: &StoragePath) -> Result<Self, ConfineError> {
        let folders = AgentFolders::new(root, storage_path.as_str())?;
        Ok(Self { folders })
    }

    /// Reads the performance of a version; that of an unused version if there is no
    /// file.
    ///
    /// # Errors
    /// Returns an error when the file is not valid or cannot be read.
    pub fn read(&self, agent: &AgentName, version: u32) -> Result<Performance, LearningFileError> {
        let found = self.find(agent, version)?;
        Ok(found.unwrap_or_else(|| Performance::new(agent, version)))
    }

    /// Reads the performance of a version; `None` without a file.
    ///
    /// # Errors
    /// Returns an error when the file is not valid or cannot be read.
    pub fn find(
        &self,
        agent: &AgentName,
        version: u32,
    ) -> Result<Option<Performance>, LearningFileError> {
        let path = self.path(agent, version);
        let Some(bytes) = self.folders.read(&path)? else {
            return Ok(None);
        };
        let read = Performance::read(&bytes);
        let read = read.and_then(|performance| performance.of(agent, version));
        read.map(Some).map_err(|source| bad(&path, source))
    }

    /// Reads the performance of all used versions, by agent and sorted by number.
    ///
    /// # Errors
    /// Returns an error when a folder or file cannot be read.
    pub fn all(&self) -> Result<BTreeMap<AgentName, Vec<Performance>>, LearningFileError> {
        let mut all: BTreeMap<AgentName, Vec<Performance>> = BTreeMap::new();
        for folder in self.folders.each()? {
            for read in self.within(&folder)? {
                let agent = read.agent().clone();
                all.entry(agent).or_default().push(read);
            }
        }
        Ok(all)
    }

    /// Reads the performance of all used versions of an agent, sorted by number.
    ///
    /// # Errors
    /// Returns an error when a file cannot be read.
    pub fn of(&self, agent: &AgentName) -> Result<Vec<Performance>, LearningFileError> {
        self.within(&self.folders.of(agent))
    }

    fn within(&self, folder: &RootPath) -> Result<Vec<Performance>, LearningFileError> {
        let mut found = Vec::new();
        for name in self.folders.names(folder)? {
            if !name.ends_with(SUFFIX) {
                continue;
            }
            let path = folder.child(&name);
            if let Some(bytes) = self.folders.read(&path)? {
                let read = Performance::read(&bytes).map_err(|source| bad(&path, source))?;
                found.extend((self.path(read.agent(), read.version()) == path).then_some(read));
            }
        }
        found.sort_by_key(Performance::version);
        Ok(found)
    }

    /// Changes the performance of a version, and returns it. Concurrent changes of the
    /// same agent wait.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or written.
    pub fn update(
        &self,
        agent: &AgentName,
        version: u32,
        change: impl FnOnce(&mut Performance),
    ) -> Result<Performance, LearningFileError> {
        // The lock is released with this value.
        let _lock = self.folders.lock(agent)?;
        let ignore = self.folders.all.child(".gitignore");
        self.folders.root.create(&ignore, IGNORED)?;
        let mut performance = self.read(agent, version)?;
        change(&mut performance);
        let json = serde_json::to_vec_pretty(&performance);
        self.folders.put(&self.path(agent, version), json)?;
        Ok(performance)
    }

    fn path(&self, agent: &AgentName, version: u32) -> RootPath {
        let folder = self.folders.of(agent);
        folder.child(&format!("v{version}{SUFFIX}"))
    }
}

fn bad(path: &RootPath, source: PerformanceError) -> LearningFileError {
    let message = format!("{path} is not valid; fix it, or remove it to start again");
    LearningFileError::invalid(message, source)
}
