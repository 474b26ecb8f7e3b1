//! The versions of prompts: one file a version, and beside them the one that
//! says which is in use.

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

/// A file of a prompt that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptFileError {
    /// It cannot be reached, read or written.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// It is no version.
    #[error("{}: {source}; mend it, or roll back to another version", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<VersionFileError>,
    },
    /// It is the version of something else.
    #[error("{} holds version {version} of {agent}; each file holds the version of its name", path.display())]
    Another {
        /// The file.
        path: PathBuf,
        /// The agent that it names.
        agent: String,
        /// The version that it names.
        version: NonZeroU32,
    },
    /// It does not say which version is in use.
    #[error("{}: {source}; write {{\"version\": N, \"since\": \"…\"}}, or remove it to begin with version 1", path.display())]
    Active {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Somebody made the same version at the same time.
    #[error("{} was made by somebody else just now; try again", path.display())]
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

/// The right to change the versions of an agent; it ends with this value.
#[derive(Debug)]
pub struct PromptLock {
    _folder: File,
}

impl<'a> PromptFiles<'a> {
    /// Those of a root, where the configuration says.
    ///
    /// # Errors
    /// When the folder lies outside the root.
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
    /// When a folder cannot be listed, or a version cannot be read.
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

    /// Waits until nobody else changes the versions of an agent.
    ///
    /// # Errors
    /// When the folder cannot be made or locked.
    pub fn lock(&self, agent: &str) -> Result<PromptLock, PromptFileError> {
        let folder = self.root.resolve(&self.folder(agent))?;
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let opened = disk::lock_folder(&folder);
        let _folder = opened.map_err(FileError::of(Action::Locked, &folder))?;
        Ok(PromptLock { _folder })
    }

    /// Which version of an agent's prompt is in use; `None` where nobody said.
    ///
    /// # Errors
    /// When the file that says so cannot be read.
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

    /// The versions of which there are files.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn versions(&self, agent: &str) -> Result<BTreeSet<NonZeroU32>, PromptFileError> {
        let names = names(self.root, &self.folder(agent))?;
        let versions = names.iter().filter_map(|name| self.format.version_of(name));
        Ok(versions.filter_map(NonZeroU32::new).collect())
    }

    /// A version of an agent's prompt; `None` where there is no file of it.
    ///
    /// # Errors
    /// When the file cannot be read or is none of this version.
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

    /// Makes the file of a version.
    ///
    /// # Errors
    /// When there is one already, or it cannot be written.
    pub fn make(&self, _: &PromptLock, version: &PromptVersion) -> Result<(), PromptFileError> {
        let path = self.file(&version.agent, version.version);
        match self.root.create(&path, version.to_file().as_bytes())? {
            true => Ok(()),
            false => Err(PromptFileError::Taken { path: shown(&path) }),
        }
    }

    /// Says which version of an agent's prompt is in use, in one step.
    ///
    /// # Errors
    /// When the file cannot be written.
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
    /// When it cannot be removed.
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
