//! The registries of clusters: one file an agent, beside its lessons.

use std::path::{Path, PathBuf};

use review_learning::cluster::ClusterRegistry;

use super::folder::{agent_folder, put};
use super::lessons;
use super::lessons::LessonLock;
use crate::{ConfineError, Reader, Root, RootPath};

const FILE: &str = "clusters.json";

/// The registries of clusters of a root.
#[derive(Debug)]
pub struct ClusterFiles<'a> {
    root: &'a Root,
    folder: RootPath,
}

/// A registry of clusters that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClusterFileError {
    /// It cannot be reached, read or written.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// It is none.
    #[error("{} is no registry of clusters: {source}; remove it to number clusters anew", path.display())]
    Registry {
        /// The file, relative to the root.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl<'a> ClusterFiles<'a> {
    /// Those of a root.
    ///
    /// # Errors
    /// Never, as long as the folder lies in the root.
    pub fn new(root: &'a Root) -> Result<Self, ConfineError> {
        let folder = RootPath::new(lessons::FOLDER)?;
        Ok(Self { root, folder })
    }

    /// The registry of an agent; an empty one where there is none yet.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
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

    /// Writes the registry of an agent, in one step.
    ///
    /// # Errors
    /// When it cannot be written.
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
