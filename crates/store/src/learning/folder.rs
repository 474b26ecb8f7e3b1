//! The folders of agents, and the files in them.

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::path::Path;

use review_flow::hash_bytes;
use review_learning::object::Diagnostic;
use review_learning::{AgentName, Id};

use crate::disk;
use crate::{Action, ConfineError, FileError, Reader, Root, RootPath};

/// The maximum length of a name; longer ones are replaced by their hash.
const MAX_NAME: usize = 128;

/// The folder name of an agent: its own name if it is a plain one, otherwise its hash.
pub(crate) fn agent_folder(agent: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    let fits = !agent.is_empty() && agent.len() <= MAX_NAME;
    if fits && !agent.starts_with('.') && agent.chars().all(is_plain) {
        Cow::Borrowed(agent)
    } else {
        Cow::Owned(hash_bytes(agent.as_bytes()).to_string())
    }
}

/// A file that is not a valid entry or lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFile {
    /// The file, relative to the root.
    pub path: RootPath,
    /// The first error.
    pub message: String,
}

impl BadFile {
    pub(super) fn new(path: &RootPath, diagnostics: &[Diagnostic]) -> Self {
        let message =
            diagnostics
                .first()
                .map_or_else(String::new, |first| match first.pointer.as_str() {
                    "" => first.message.clone(),
                    pointer => format!("{pointer}: {}", first.message),
                });
        let path = path.clone();
        Self { path, message }
    }

    /// Whether the file is the one of a lesson.
    pub fn is_of(&self, id: &Id) -> bool {
        let stem = Path::new(self.path.as_str()).file_stem();
        stem.is_some_and(|stem| stem == id.as_str())
    }
}

/// Why a file of an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LearningFileError {
    /// It cannot be read or written, or is outside of the root.
    #[error(transparent)]
    File(#[from] ConfineError),
    /// It is not valid.
    #[error("{message}")]
    Invalid {
        /// The file, what is wrong with it, and how to go on.
        message: String,
        /// The error of its reader.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl LearningFileError {
    pub(super) fn invalid(
        message: String,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Invalid {
            message,
            source: Some(source.into()),
        }
    }
}

/// Permission to change the files of an agent; it is released with this value.
#[derive(Debug)]
pub struct AgentLock {
    _folder: File,
}

/// The folders of agents below a folder of a root.
#[derive(Debug)]
pub(super) struct AgentFolders {
    pub(super) root: Root,
    pub(super) all: RootPath,
}

impl AgentFolders {
    pub(super) fn new(root: &Root, folder: &str) -> Result<Self, ConfineError> {
        let all = RootPath::new(folder)?;
        let root = root.clone();
        Ok(Self { root, all })
    }

    pub(super) fn of(&self, agent: &AgentName) -> RootPath {
        self.all.child(&agent_folder(agent.as_str()))
    }

    /// The folders that there are, sorted.
    pub(super) fn each(&self) -> Result<Vec<RootPath>, ConfineError> {
        let names = self.names(&self.all)?;
        Ok(names.iter().map(|name| self.all.child(name)).collect())
    }

    /// Waits for the lock on the folder of an agent, which is created.
    pub(super) fn lock(&self, agent: &AgentName) -> Result<AgentLock, ConfineError> {
        let folder = self.root.resolve(&self.of(agent))?;
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let _folder = disk::lock_folder(&folder)?;
        Ok(AgentLock { _folder })
    }

    pub(super) fn read(&self, path: &RootPath) -> Result<Option<Vec<u8>>, ConfineError> {
        Reader::new(&self.root).bytes(path)
    }

    /// The names in a folder, sorted; none if it does not exist.
    pub(super) fn names(&self, folder: &RootPath) -> Result<Vec<String>, ConfineError> {
        let path = self.root.resolve(folder)?;
        let entries = disk::entries(&path)?.into_iter();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort();
        Ok(names)
    }

    /// Writes a file atomically, and its folder where it is missing.
    pub(super) fn put(
        &self,
        path: &RootPath,
        json: serde_json::Result<Vec<u8>>,
    ) -> Result<(), ConfineError> {
        let mut json = json.map_err(|error| {
            let path = Path::new(path.as_str());
            FileError::of(Action::Written, path)(error.into())
        })?;
        json.push(b'\n');
        match self.root.create(path, &json)? {
            true => Ok(()),
            false => self.root.replace(path, &json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_the_name_of_the_folder() {
        let longest = "a".repeat(MAX_NAME);
        for agent in ["reviewer", "Code-Writer_2.1", longest.as_str()] {
            assert_eq!(agent_folder(agent), agent);
        }
    }

    #[test]
    fn any_other_name_is_hashed() {
        let long = "a".repeat(MAX_NAME + 1);
        for agent in [
            "",
            ".",
            "..",
            ".hidden",
            "a/b",
            "../a",
            "a b",
            "ä",
            long.as_str(),
        ] {
            let folder = agent_folder(agent);
            let is_hash = folder.len() == 64 && folder.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{agent:?}: {folder}");
        }
        assert_ne!(agent_folder("a/b"), agent_folder("a/c"));
    }
}
