//! The feedback store: one file per entry, in a folder for each agent.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use review_learning::Id;
use review_learning::config::StoragePath;
use review_learning::feedback::FeedbackEntry;
use review_learning::object::{Diagnostic, LearningObject as _};

use super::folder::agent_folder;
use crate::disk::{self, Durability, Mode};
use crate::{Action, ConfineError, FileError, Root, RootPath};

/// The length of an id, and the suffix of a file name.
const ID: usize = 36;
const EXTENSION: &str = ".json";

/// The feedback store of a project.
#[derive(Debug)]
pub struct FeedbackStore {
    folder: PathBuf,
    entries: Vec<FeedbackEntry>,
    bad: Vec<BadEntry>,
}

/// A file that is not a valid entry.
#[derive(Clone, Debug, PartialEq)]
pub struct BadEntry {
    /// The file.
    pub path: PathBuf,
    /// The errors; empty if its agent or its id are not those of its path.
    pub diagnostics: Vec<Diagnostic>,
}

impl FeedbackStore {
    /// Opens the store in a folder below the root, which may not exist yet, and reads its
    /// entries.
    ///
    /// # Errors
    /// Returns an error when a link leads out of the root or a file cannot be read.
    pub fn open(root: &Root, storage: &StoragePath) -> Result<Self, ConfineError> {
        let mut store = Self {
            folder: root.resolve(&RootPath::new(storage.as_str())?)?,
            entries: Vec::new(),
            bad: Vec::new(),
        };
        for path in store.files()? {
            store.read(path)?;
        }
        store.sort();
        Ok(store)
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[FeedbackEntry] {
        &self.entries
    }

    /// The files that are not valid entries.
    pub fn bad(&self) -> &[BadEntry] {
        &self.bad
    }

    /// Adds entries with new ids, and returns those that were added.
    ///
    /// # Errors
    /// Returns an error when a file cannot be written; earlier writes remain.
    pub fn add<'e>(
        &mut self,
        entries: &'e [FeedbackEntry],
    ) -> Result<Vec<&'e FeedbackEntry>, FileError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        self.prepare()?;
        // The lock is released with this value.
        let _lock = self.lock()?;
        let files = self.files()?;
        let mut known: HashSet<&str> = files.iter().filter_map(|path| id_of(path)).collect();
        let mut added = Vec::new();
        for entry in entries
            .iter()
            .filter(|entry| known.insert(entry.id.as_str()))
        {
            self.write(entry)?;
            added.push(entry);
        }
        self.entries.extend(added.iter().copied().cloned());
        self.sort();
        Ok(added)
    }

    /// Removes entries, and returns the number of files that existed.
    ///
    /// # Errors
    /// Returns an error when a file cannot be deleted.
    pub fn remove(&mut self, ids: &HashSet<Id>) -> Result<usize, FileError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let is_meant =
            |path: &Path| id_of(path).is_some_and(|id| ids.iter().any(|one| one.as_str() == id));
        let mut count = 0;
        for path in self.files()?.iter().filter(|path| is_meant(path)) {
            let was_there = disk::remove(path).map_err(FileError::of(Action::Deleted, path))?;
            count += usize::from(was_there);
        }
        self.entries.retain(|entry| !ids.contains(&entry.id));
        Ok(count)
    }

    /// Creates the folder, which git ignores: entries are as local as runs. An existing
    /// folder is not changed.
    fn prepare(&self) -> Result<(), FileError> {
        if self.folder.is_dir() {
            return Ok(());
        }
        disk::create_user_folders(&self.folder)
            .map_err(FileError::of(Action::Created, &self.folder))?;
        let ignore = self.folder.join(".gitignore");
        disk::replace(&ignore, b"*\n", Mode::OfUser, Durability::Unsynced)
            .map_err(FileError::of(Action::Written, &ignore))
    }

    fn lock(&self) -> Result<std::fs::File, FileError> {
        disk::lock_folder(&self.folder).map_err(FileError::of(Action::Locked, &self.folder))
    }

    fn sort(&mut self) {
        let key = |entry: &FeedbackEntry| (entry.timestamp, entry.id.clone());
        self.entries.sort_by_cached_key(key);
    }

    fn write(&self, entry: &FeedbackEntry) -> Result<(), FileError> {
        let folder = self.folder.join(&*agent_folder(&entry.agent));
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let path = folder.join(entry.file_name());
        let text = serde_json::to_vec_pretty(entry).map_err(io::Error::other);
        text.map(|mut text| {
            text.push(b'\n');
            text
        })
        .and_then(|text| disk::replace(&path, &text, Mode::OfUser, Durability::FileSynced))
        .map_err(FileError::of(Action::Written, &path))
    }

    /// Reads a file, which another process may have removed.
    fn read(&mut self, path: PathBuf) -> Result<(), FileError> {
        let content = match disk::read_regular(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(FileError::of(Action::Read, &path)(error)),
        };
        match FeedbackEntry::parse(&content.bytes).into_result() {
            Ok(entry) if is_at(&entry, &path) => self.entries.push(entry),
            Ok(_) => self.bad.push(BadEntry {
                path,
                diagnostics: Vec::new(),
            }),
            Err(diagnostics) => self.bad.push(BadEntry { path, diagnostics }),
        }
        Ok(())
    }

    /// The files whose names have an id, in the folders of agents.
    fn files(&self) -> Result<Vec<PathBuf>, FileError> {
        let mut files = Vec::new();
        for folder in listed(&self.folder)?
            .into_iter()
            .filter(|path| path.is_dir() && !path.is_symlink())
        {
            files.extend(
                listed(&folder)?
                    .into_iter()
                    .filter(|path| id_of(path).is_some()),
            );
        }
        files.sort();
        Ok(files)
    }
}

/// What is in a folder; nothing if it does not exist.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let paths = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match paths {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(FileError::of(Action::Listed, folder)),
    }
}

/// Whether an entry is in the file that its agent and id require.
fn is_at(entry: &FeedbackEntry, path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder.is_some_and(|folder| folder == &*agent_folder(&entry.agent))
        && id_of(path) == Some(entry.id.as_str())
}

/// The id in the name of a file; `None` for other files.
fn id_of(path: &Path) -> Option<&str> {
    let stem = path.file_name()?.to_str()?.strip_suffix(EXTENSION)?;
    let start = stem.len().checked_sub(ID)?;
    let (before, id) = (stem.get(..start)?, stem.get(start..)?);
    (before.ends_with('-') && review_types::is_uuid(id)).then_some(id)
}
