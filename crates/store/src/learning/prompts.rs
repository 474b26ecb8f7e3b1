//! The versions of prompts: one file per version, and a file with the active version.

use std::collections::BTreeSet;
use std::fs::File;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use review_learning::config::{PromptEvolutionConfig, VersionFormat};
use review_learning::prompt::{ActiveVersion, PromptVersion, VersionFileError};

use super::folder::{agent_folder, names, put};
use crate::disk;
use crate::{Action, ConfineError, FileError, Reader, Root, RootPath};

const ACTIVE: &str = "active.json";

/// The versions of all prompts of a root.
#[derive(Debug)]
pub struct PromptFiles<'a> {
    root: &'a Root,
    folder: RootPath,
    format: &'a VersionFormat,
}

/// A prompt file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptFileError {
    /// The file cannot be accessed.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// The file is not a valid version.
    #[error("{}: {source}; fix it, or roll back to another version", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<VersionFileError>,
    },
    /// The file holds the version of another agent or number.
    #[error("{} contains version {version} of {agent}; the content must match the file name", path.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The agent in the file.
        agent: String,
        /// The version in the file.
        version: NonZeroU32,
    },
    /// The file of the active version is not valid.
    #[error("{} is not valid; write {{\"version\": N, \"since\": \"…\"}}, or remove it to start with version 1", path.display())]
    Active {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// Another process created the same version.
    #[error("{} was created by another process; try again", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
}

impl From<FileError> for PromptFileError {
    fn from(error: FileError) -> Self {
        Self::File(error.into())
    }
}

/// Permission to change the versions of an agent; it is released with this value.
#[derive(Debug)]
pub struct PromptLock {
    _folder: File,
}

impl<'a> PromptFiles<'a> {
    /// The prompts of a root, in the configured folder.
    ///
    /// # Errors
    /// Returns an error when the folder is outside of the root.
    pub fn new(root: &'a Root, config: &'a PromptEvolutionConfig) -> Result<Self, ConfineError> {
        Ok(Self {
            root,
            folder: RootPath::new(config.storage_path.as_str())?,
            format: &config.versioning.format,
        })
    }

    /// The folder of an agent, relative to the root.
    #[must_use]
    pub fn folder(&self, agent: &str) -> RootPath {
        self.folder.child(&agent_folder(agent))
    }

    /// The agents that have versions, sorted.
    ///
    /// # Errors
    /// Returns an error when a folder cannot be listed or a version cannot be read.
    pub fn agents(&self) -> Result<Vec<String>, PromptFileError> {
        let mut agents = Vec::new();
        for name in names(self.root, &self.folder)? {
            let folder = self.folder.child(&name);
            let names = names(self.root, &folder)?;
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
    pub fn lock(&self, agent: &str) -> Result<PromptLock, PromptFileError> {
        let folder = self.root.resolve(&self.folder(agent))?;
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let opened = disk::lock_folder(&folder);
        let _folder = opened.map_err(FileError::of(Action::Locked, &folder))?;
        Ok(PromptLock { _folder })
    }

    /// Reads the active version of an agent's prompt; `None` if none is set.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read.
    pub fn active(&self, agent: &str) -> Result<Option<ActiveVersion>, PromptFileError> {
        let path = self.folder(agent).child(ACTIVE);
        let Some(found) = Reader::new(self.root).content(&path)? else {
            return Ok(None);
        };
        let active = serde_json::from_slice(&found.bytes);
        active.map(Some).map_err(|source| PromptFileError::Active {
            path: shown(&path),
            source,
        })
    }

    /// Lists the versions that have files.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be listed.
    pub fn versions(&self, agent: &str) -> Result<BTreeSet<NonZeroU32>, PromptFileError> {
        let names = names(self.root, &self.folder(agent))?;
        let versions = names.iter().filter_map(|name| self.format.version_of(name));
        Ok(versions.filter_map(NonZeroU32::new).collect())
    }

    /// Reads a version of an agent's prompt; `None` if it has no file.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read or is not this version.
    pub fn version(
        &self,
        agent: &str,
        version: NonZeroU32,
    ) -> Result<Option<PromptVersion>, PromptFileError> {
        let file = self.file(agent, version);
        let Some(read) = self.read(&file)? else {
            return Ok(None);
        };
        if read.agent == agent && read.version == version {
            return Ok(Some(read));
        }
        let (path, agent, version) = (shown(&file), read.agent, read.version);
        Err(PromptFileError::Another {
            path,
            agent,
            version,
        })
    }

    fn read(&self, file: &RootPath) -> Result<Option<PromptVersion>, PromptFileError> {
        let Some(found) = Reader::new(self.root).content(file)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&found.bytes);
        let read = PromptVersion::from_file(&text);
        read.map(Some).map_err(|source| PromptFileError::Version {
            path: shown(file),
            source: Box::new(source),
        })
    }

    /// Creates the file of a version.
    ///
    /// # Errors
    /// Returns an error when it already exists or cannot be written.
    pub fn make(&self, _: &PromptLock, version: &PromptVersion) -> Result<(), PromptFileError> {
        let path = self.file(&version.agent, version.version);
        match self.root.create(&path, version.to_file().as_bytes())? {
            true => Ok(()),
            false => Err(PromptFileError::Taken { path: shown(&path) }),
        }
    }

    /// Sets the active version of an agent's prompt, atomically.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn activate(
        &self,
        _: &PromptLock,
        agent: &str,
        active: &ActiveVersion,
    ) -> Result<(), PromptFileError> {
        let path = self.folder(agent).child(ACTIVE);
        put(self.root, &path, serde_json::to_vec_pretty(active))?;
        Ok(())
    }

    /// Removes the file of a version.
    ///
    /// # Errors
    /// Returns an error when it cannot be removed.
    pub fn remove(
        &self,
        _: &PromptLock,
        agent: &str,
        version: NonZeroU32,
    ) -> Result<(), PromptFileError> {
        let path = self.root.resolve(&self.file(agent, version))?;
        let removed = disk::remove(&path).map_err(FileError::of(Action::Deleted, &path));
        removed.map(drop).map_err(Into::into)
    }

    fn file(&self, agent: &str, version: NonZeroU32) -> RootPath {
        self.folder(agent)
            .child(&self.format.file_name(version.get()))
    }
}

fn shown(path: &RootPath) -> PathBuf {
    Path::new(path.as_str()).to_owned()
}
