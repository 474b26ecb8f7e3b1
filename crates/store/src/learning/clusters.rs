//! The cluster registries: one file per agent, next to its lessons.

use std::path::{Path, PathBuf};

use review_learning::cluster::ClusterRegistry;

use super::folder::{agent_folder, put};
use super::lessons;
use super::lessons::LessonLock;
use crate::{ConfineError, Reader, Root, RootPath};

const FILE: &str = "clusters.json";

/// The cluster registries of a root.
#[derive(Debug)]
pub struct ClusterFiles<'a> {
    root: &'a Root,
    folder: RootPath,
}

/// A cluster registry that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClusterFileError {
    /// The file cannot be accessed.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// The file is not a valid registry.
    #[error("{} is not a valid cluster registry; remove it to start with new cluster ids", path.display())]
    Registry {
        /// The file, relative to the root.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
}

impl<'a> ClusterFiles<'a> {
    /// The registries of a root.
    ///
    /// # Errors
    /// Returns an error only if the folder is outside of the root.
    pub fn new(root: &'a Root) -> Result<Self, ConfineError> {
        let folder = RootPath::new(lessons::FOLDER)?;
        Ok(Self { root, folder })
    }

    /// Reads the registry of an agent; empty if there is none yet.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or is not valid.
    pub fn of(&self, agent: &str) -> Result<ClusterRegistry, ClusterFileError> {
        let path = self.path(agent);
        let Some(found) = Reader::new(self.root).content(&path)? else {
            return Ok(ClusterRegistry::default());
        };
        serde_json::from_slice(&found.bytes).map_err(|source| ClusterFileError::Registry {
            path: Path::new(path.as_str()).to_owned(),
            source,
        })
    }

    /// Writes the registry of an agent, atomically.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn put(
        &self,
        _: &LessonLock,
        agent: &str,
        registry: &ClusterRegistry,
    ) -> Result<(), ConfineError> {
        put(self.root, &self.path(agent), serde_json::to_vec(registry))
    }

    fn path(&self, agent: &str) -> RootPath {
        self.folder.child(&agent_folder(agent)).child(FILE)
    }
}
