//! The feedback store: one file per entry, in a folder for each agent.

use std::collections::HashSet;
use std::path::PathBuf;

use review_learning::Id;
use review_learning::config::StoragePath;
use review_learning::feedback::FeedbackEntry;
use review_learning::object::LearningObject as _;

use super::folder::{AgentFolders, BadFile};
use crate::disk;
use crate::{Action, ConfineError, FileError, Root, RootPath};

/// The length of an id, and the suffix of a file name.
const ID: usize = 36;
const EXTENSION: &str = ".json";

/// The feedback store of a project.
#[derive(Debug)]
pub struct FeedbackStore {
    folders: AgentFolders,
    entries: Vec<FeedbackEntry>,
    bad: Vec<BadFile>,
}

impl FeedbackStore {
    /// Opens the store in a folder below the root, which may not exist yet, and reads its
    /// entries.
    ///
    /// # Errors
    /// Returns an error when a link leads out of the root or a file cannot be read.
    pub fn open(root: &Root, storage: &StoragePath) -> Result<Self, ConfineError> {
        let mut store = Self {
            folders: AgentFolders::new(root, storage.as_str())?,
            entries: Vec::new(),
            bad: Vec::new(),
        };
        for path in store.files()? {
            store.read(&path)?;
        }
        store.sort();
        Ok(store)
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[FeedbackEntry] {
        &self.entries
    }

    /// The files that are not valid entries.
    pub fn bad(&self) -> &[BadFile] {
        &self.bad
    }

    /// Adds entries with new ids, and returns those that were added.
    ///
    /// # Errors
    /// Returns an error when a file cannot be written; earlier writes remain.
    pub fn add<'e>(
        &mut self,
        entries: &'e [FeedbackEntry],
    ) -> Result<Vec<&'e FeedbackEntry>, ConfineError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // The lock is released with this value.
        let _lock = disk::lock_folder(&self.prepare()?)?;
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
    pub fn remove(&mut self, ids: &HashSet<Id>) -> Result<usize, ConfineError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let is_meant = |path: &RootPath| {
            id_of(path).is_some_and(|id| ids.iter().any(|one| one.as_str() == id))
        };
        let mut count = 0;
        for path in self.files()?.iter().filter(|path| is_meant(path)) {
            let path = self.folders.root.resolve(path)?;
            let was_there = disk::remove(&path).map_err(FileError::of(Action::Deleted, &path))?;
            count += usize::from(was_there);
        }
        self.entries.retain(|entry| !ids.contains(&entry.id));
        Ok(count)
    }

    /// Creates the folder, which git ignores: entries are as local as runs. An existing
    /// folder is not changed.
    fn prepare(&self) -> Result<PathBuf, ConfineError> {
        let AgentFolders { root, all } = &self.folders;
        let folder = root.resolve(all)?;
        if !folder.is_dir() {
            root.create(&all.child(".gitignore"), b"*\n")?;
        }
        Ok(folder)
    }

    fn sort(&mut self) {
        let key = |entry: &FeedbackEntry| (entry.timestamp, entry.id.clone());
        self.entries.sort_by_cached_key(key);
    }

    fn write(&self, entry: &FeedbackEntry) -> Result<(), ConfineError> {
        let path = self.folders.of(&entry.agent).child(&entry.file_name());
        self.folders.put(&path, serde_json::to_vec_pretty(entry))
    }

    /// Reads a file, which another process may have removed.
    fn read(&mut self, path: &RootPath) -> Result<(), ConfineError> {
        let Some(bytes) = self.folders.read(path)? else {
            return Ok(());
        };
        match FeedbackEntry::parse(&bytes).into_result() {
            Ok(entry) if self.is_at(&entry, path) => self.entries.push(entry),
            Ok(_) => self.bad.push(BadFile {
                path: path.clone(),
                message: "it is not where its agent and its id say".to_owned(),
            }),
            Err(diagnostics) => self.bad.push(BadFile::new(path, &diagnostics)),
        }
        Ok(())
    }

    /// The files whose names have an id, in the folders of agents.
    fn files(&self) -> Result<Vec<RootPath>, ConfineError> {
        let mut files = Vec::new();
        for folder in self.folders.each()? {
            let names = self.folders.names(&folder)?.into_iter();
            let paths = names.map(|name| folder.child(&name));
            files.extend(paths.filter(|path| id_of(path).is_some()));
        }
        Ok(files)
    }

    /// Whether an entry is in the file that its agent and id require.
    fn is_at(&self, entry: &FeedbackEntry, path: &RootPath) -> bool {
        path.parent() == self.folders.of(&entry.agent) && id_of(path) == Some(entry.id.as_str())
    }
}

/// The id in the name of a file; `None` for other files.
fn id_of(path: &RootPath) -> Option<&str> {
    let stem = path.split().1.strip_suffix(EXTENSION)?;
    let start = stem.len().checked_sub(ID)?;
    let (before, id) = (stem.get(..start)?, stem.get(start..)?);
    (before.ends_with('-') && review_types::is_uuid(id)).then_some(id)
}
