//! The versions of prompts: one file per version, and a file with the active version.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use review_learning::AgentName;
use review_learning::config::{PromptEvolutionConfig, VersionFormat};
use review_learning::prompt::{ActiveVersion, PromptVersion};

use super::folder::{AgentFolders, AgentLock, LearningFileError};
use crate::disk;
use crate::{Action, ConfineError, FileError, Root, RootPath};

const ACTIVE: &str = "active.json";

/// The versions of all prompts of a root.
#[derive(Debug)]
pub struct PromptFiles<'a> {
    folders: AgentFolders,
    format: &'a VersionFormat,
}

impl<'a> PromptFiles<'a> {
    /// The prompts of a root, in the configured folder.
    ///
    /// # Errors
    /// Returns an error when the folder is outside of the root.
    pub fn new(root: &Root, config: &'a PromptEvolutionConfig) -> Result<Self, ConfineError> {
        Ok(Self {
            folders: AgentFolders::new(root, config.storage_path.as_str())?,
            format: &config.versioning.format,
        })
    }

    /// The folder of an agent, relative to the root.
    pub fn folder(&self, agent: &AgentName) -> RootPath {
        self.folders.of(agent)
    }

    /// The agents that have versions, sorted.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be listed or a version cannot be read.
    pub fn agents(&self) -> Result<Vec<AgentName>, LearningFileError> {
        let mut agents = Vec::new();
        for folder in self.folders.each()? {
            let names = self.folders.names(&folder)?;
            let mut versions = names
                .iter()
                .filter(|name| self.format.version_of(name).is_some());
            if let Some(version) = versions.next() {
                agents.extend(self.read(&folder.child(version))?.map(|read| read.agent));
            }
        }
        agents.sort();
        Ok(agents)
    }

    /// Waits for the lock on the versions of an agent.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be created or locked.
    pub fn lock(&self, agent: &AgentName) -> Result<AgentLock, LearningFileError> {
        Ok(self.folders.lock(agent)?)
    }

    /// Reads the active version of an agent's prompt; `None` if none is set.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read.
    pub fn active(&self, agent: &AgentName) -> Result<Option<ActiveVersion>, LearningFileError> {
        let path = self.folder(agent).child(ACTIVE);
        let Some(bytes) = self.folders.read(&path)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let message = format!(
                "{path} is not valid; write {{\"version\": N, \"since\": \"…\"}}, or remove it to \
                 start with version 1"
            );
            LearningFileError::invalid(message, error)
        })
    }

    /// Lists the versions that have files.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be listed.
    pub fn versions(&self, agent: &AgentName) -> Result<BTreeSet<NonZeroU32>, LearningFileError> {
        let names = self.folders.names(&self.folder(agent))?;
        let versions = names.iter().filter_map(|name| self.format.version_of(name));
        Ok(versions.filter_map(NonZeroU32::new).collect())
    }

    /// Reads a version of an agent's prompt; `None` if it has no file.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read or is not this version.
    pub fn version(
        &self,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<Option<PromptVersion>, LearningFileError> {
        let file = self.file(agent, version);
        let Some(read) = self.read(&file)? else {
            return Ok(None);
        };
        if read.agent == *agent && read.version == version {
            return Ok(Some(read));
        }
        let (agent, version) = (read.agent, read.version);
        Err(LearningFileError::Invalid {
            message: format!(
                "{file} contains version {version} of {agent}; the content must match the file name"
            ),
            source: None,
        })
    }

    fn read(&self, file: &RootPath) -> Result<Option<PromptVersion>, LearningFileError> {
        let Some(bytes) = self.folders.read(file)? else {
            return Ok(None);
        };
        let read = PromptVersion::from_file(&String::from_utf8_lossy(&bytes));
        read.map(Some).map_err(|error| {
            let message = format!("{file}: {error}; fix it, or roll back to another version");
            LearningFileError::invalid(message, error)
        })
    }

    /// Creates the file of a version.
    ///
    /// # Errors
    /// Returns an error when it already exists or cannot be written.
    pub fn make(&self, _: &AgentLock, version: &PromptVersion) -> Result<(), LearningFileError> {
        let path = self.file(&version.agent, version.version);
        let file = version.to_file();
        match self.folders.root.create(&path, file.as_bytes())? {
            true => Ok(()),
            false => Err(LearningFileError::Invalid {
                message: format!("{path} was created by another process; try again"),
                source: None,
            }),
        }
    }

    /// Sets the active version of an agent's prompt, atomically.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn activate(
        &self,
        _: &AgentLock,
        agent: &AgentName,
        active: &ActiveVersion,
    ) -> Result<(), LearningFileError> {
        let path = self.folder(agent).child(ACTIVE);
        let json = serde_json::to_vec_pretty(active);
        Ok(self.folders.put(&path, json)?)
    }

    /// Removes the file of a version.
    ///
    /// # Errors
    /// Returns an error when it cannot be removed.
    pub fn remove(
        &self,
        _: &AgentLock,
        agent: &AgentName,
        version: NonZeroU32,
    ) -> Result<(), LearningFileError> {
        let path = self.folders.root.resolve(&self.file(agent, version))?;
        let removed = disk::remove(&path).map_err(FileError::of(Action::Deleted, &path));
        Ok(removed.map(drop).map_err(ConfineError::from)?)
    }

    fn file(&self, agent: &AgentName, version: NonZeroU32) -> RootPath {
        self.folder(agent)
            .child(&self.format.file_name(version.get()))
    }
}
