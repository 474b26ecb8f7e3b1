//! The feedback store: one file per entry, in a folder for each agent, and an index
//! next to the folders.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use review_learning::config::StoragePath;
use review_learning::feedback::FeedbackEntry;
use review_learning::object::{Diagnostic, LearningObject as _};

use super::folder::agent_folder;
use super::index::{Index, IndexedEntry, Line, id_in};

use crate::disk::{self, Durability, Mode};
use crate::lines::LineFile;
use crate::stamp::{FileTime, Stamp};
use crate::{Action, ConfineError, FileError, Root, RootPath};

/// The file name of the index.
const INDEX: &str = "index.jsonl";

/// The feedback store of a project.
#[derive(Debug)]
pub struct FeedbackStore {
    folder: PathBuf,
    index: Index,
    opened: usize,
    bad: Vec<BadEntry>,
}

/// A file that is not a valid entry.
#[derive(Clone, Debug, PartialEq)]
pub struct BadEntry {
    /// The file.
    pub path: PathBuf,
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// An entry that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not a valid entry.
    #[error("{} is not a valid entry: {}", .0.path.display(), first_error(.0))]
    Bad(BadEntry),
}

fn first_error(bad: &BadEntry) -> String {
    let first = bad.diagnostics.iter().find(|one| one.is_error());
    first.map_or_else(String::new, |one| {
        format!("{} {}", one.pointer, one.message)
    })
}

impl FeedbackStore {
    /// Opens the store in a folder below the root, which may not exist yet. Folders
    /// that were changed by others are listed, and their new files are read.
    ///
    /// # Errors
    /// Returns an error when a link leads out of the root or the folder cannot be read.
    pub fn open(root: &Root, storage: &StoragePath) -> Result<Self, ConfineError> {
        let folder = root.resolve(&RootPath::new(storage.as_str())?)?;
        let mut store = Self {
            index: Index::read(&bytes_of(&folder.join(INDEX))?),
            folder,
            opened: 0,
            bad: Vec::new(),
        };
        let changed = store.refresh()?;
        if changed {
            // Reading works without the index, which cannot be written in a read-only
            // folder.
            let _ = store.write_index();
        }
        Ok(store)
    }

    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[IndexedEntry] {
        &self.index.entries
    }

    /// The number of files that were opened to update the index.
    #[must_use]
    pub const fn opened(&self) -> usize {
        self.opened
    }

    /// The opened files that are not valid entries.
    #[must_use]
    pub fn bad(&self) -> &[BadEntry] {
        &self.bad
    }

    /// The path of the file of an entry.
    #[must_use]
    pub fn path(&self, entry: &IndexedEntry) -> PathBuf {
        self.folder
            .join(&*agent_folder(&entry.agent))
            .join(&entry.file)
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// Returns an error when its file cannot be read or is not valid.
    pub fn read(&self, entry: &IndexedEntry) -> Result<FeedbackEntry, EntryError> {
        read_entry(&self.path(entry))
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
        let mut lock = LineFile::open(&self.folder.join(INDEX))?;
        lock.locked(|lock| {
            let differed = self.catch_up()?;
            let mut known: HashSet<String> = self.ids();
            let new: Vec<_> = entries
                .iter()
                .filter(|entry| known.insert(entry.id.as_str().to_owned()))
                .collect();
            let mut lines = Vec::new();
            for entry in &new {
                self.write(entry)?;
                let indexed = IndexedEntry::of(entry);
                Line::Entry(indexed.clone()).append_to(&mut lines);
                self.index.entries.push(indexed);
            }
            self.index.settle();
            let folders: BTreeSet<_> = new
                .iter()
                .map(|entry| agent_folder(&entry.agent).into_owned())
                .collect();
            for folder in folders {
                self.note_time(&folder, &mut lines)?;
            }
            if differed {
                self.replace_index()?;
            } else {
                lock.append_locked(&lines)?;
            }
            Ok(new)
        })
    }

    /// Removes entries, and returns the number of files that existed.
    ///
    /// # Errors
    /// Returns an error when a file cannot be deleted or the index cannot be written.
    pub fn remove(&mut self, entries: &[IndexedEntry]) -> Result<usize, FileError> {
        if entries.is_empty() {
            return Ok(0);
        }
        let mut lock = LineFile::open(&self.folder.join(INDEX))?;
        lock.locked(|_| {
            self.catch_up()?;
            let mut removed = HashSet::new();
            let mut count = 0;
            for entry in entries {
                let path = self.path(entry);
                let was_there =
                    disk::remove(&path).map_err(FileError::of(Action::Deleted, &path))?;
                count += usize::from(was_there);
                removed.insert(entry.file.as_str());
            }
            self.index
                .entries
                .retain(|entry| !removed.contains(entry.file.as_str()));
            let folders: BTreeSet<_> = entries
                .iter()
                .map(|entry| agent_folder(&entry.agent))
                .collect();
            for folder in folders {
                self.note_time(&folder, &mut Vec::new())?;
            }
            self.replace_index()?;
            Ok(count)
        })
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

    fn ids(&self) -> HashSet<String> {
        let ids = self.index.entries.iter().map(IndexedEntry::id);
        ids.map(str::to_owned).collect()
    }

    fn write(&self, entry: &FeedbackEntry) -> Result<(), FileError> {
        let folder = self.folder.join(&*agent_folder(&entry.agent));
        disk::create_user_folders(&folder).map_err(FileError::of(Action::Created, &folder))?;
        write(&folder.join(entry.file_name()), entry)
    }

    /// Merges changes of others since the index was read; returns whether the index on
    /// disk differs from the folders.
    fn catch_up(&mut self) -> Result<bool, FileError> {
        self.index = Index::read(&bytes_of(&self.folder.join(INDEX))?);
        self.refresh()
    }

    /// Updates the index from the folders; returns whether anything differed.
    fn refresh(&mut self) -> Result<bool, FileError> {
        let folders = folders_of(&self.folder)?;
        let is_trusted = |index: &Index, name: &str, time: FileTime| {
            !index.is_torn && index.times.get(name) == Some(&time)
        };
        let stale: BTreeMap<String, FileTime> = folders
            .iter()
            .filter(|(name, time)| !is_trusted(&self.index, name, **time))
            .map(|(name, time)| (name.clone(), *time))
            .collect();
        let has_gone = self
            .index
            .times
            .keys()
            .any(|name| !folders.contains_key(name));
        if stale.is_empty() && !has_gone && !self.index.is_torn {
            return Ok(false);
        }
        self.index
            .times
            .retain(|name, _| folders.contains_key(name));
        let mut known: BTreeMap<String, Vec<IndexedEntry>> = BTreeMap::new();
        for entry in std::mem::take(&mut self.index.entries) {
            let folder = agent_folder(&entry.agent).into_owned();
            if folders.contains_key(&folder) {
                known.entry(folder).or_default().push(entry);
            }
        }
        for (name, time) in &stale {
            let before = known.remove(name).unwrap_or_default();
            known.insert(name.clone(), self.listed(name, before)?);
            self.index.times.insert(name.clone(), *time);
        }
        self.index.entries = known.into_values().flatten().collect();
        self.index.settle();
        self.index.is_torn = false;
        Ok(true)
    }

    /// The entries of a folder; those in `before` are already known.
    fn listed(
        &mut self,
        name: &str,
        before: Vec<IndexedEntry>,
    ) -> Result<Vec<IndexedEntry>, FileError> {
        let folder = self.folder.join(name);
        let mut files = BTreeSet::new();
        let listed = std::fs::read_dir(&folder).map_err(FileError::of(Action::Listed, &folder))?;
        for file in listed {
            let file = file.map_err(FileError::of(Action::Listed, &folder))?;
            let file = file.file_name().into_string().ok();
            files.extend(file.filter(|file| id_in(file).is_some()));
        }
        let mut entries = before;
        entries.retain(|entry| files.remove(&entry.file));
        for file in files {
            self.opened += 1;
            let path = folder.join(&file);
            match read_entry(&path) {
                Ok(entry) if is_at(&entry, name, &file) => entries.push(IndexedEntry {
                    file,
                    ..IndexedEntry::of(&entry)
                }),
                Ok(_) => self.bad.push(BadEntry {
                    path,
                    diagnostics: Vec::new(),
                }),
                Err(EntryError::Bad(bad)) => self.bad.push(bad),
                // It was removed by another process.
                Err(EntryError::File(error)) if error.source.kind() == io::ErrorKind::NotFound => {}
                Err(EntryError::File(error)) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// Records the time of a folder after our last write to it.
    fn note_time(&mut self, folder: &str, lines: &mut Vec<u8>) -> Result<(), FileError> {
        let path = self.folder.join(folder);
        disk::sync_folder(&path).map_err(FileError::of(Action::Written, &path))?;
        let time = time_of(&path)?;
        Line::of_folder(folder, time).append_to(lines);
        self.index.times.insert(folder.to_owned(), time);
        Ok(())
    }

    fn write_index(&mut self) -> Result<(), FileError> {
        if self.index.entries.is_empty() {
            return Ok(());
        }
        let mut lock = LineFile::open(&self.folder.join(INDEX))?;
        lock.locked(|_| self.replace_index())
    }

    fn replace_index(&self) -> Result<(), FileError> {
        let path = self.folder.join(INDEX);
        let lines = self.index.to_lines();
        disk::replace(&path, &lines, Mode::OfUser, Durability::Unsynced)
            .map_err(FileError::of(Action::Written, &path))
    }
}

fn write(path: &Path, entry: &FeedbackEntry) -> Result<(), FileError> {
    let text = serde_json::to_vec_pretty(entry).map_err(io::Error::other);
    text.map(|mut text| {
        text.push(b'\n');
        text
    })
    .and_then(|text| disk::replace(path, &text, Mode::OfUser, Durability::FileSynced))
    .map_err(FileError::of(Action::Written, path))
}

/// Whether an entry is in the file that its agent and id require.
fn is_at(entry: &FeedbackEntry, folder: &str, file: &str) -> bool {
    agent_folder(&entry.agent) == folder && id_in(file) == Some(entry.id.as_str())
}

fn read_entry(path: &Path) -> Result<FeedbackEntry, EntryError> {
    let content = disk::read_regular(path).map_err(FileError::of(Action::Read, path))?;
    let reading = FeedbackEntry::parse(&content.bytes);
    reading.into_result().map_err(|diagnostics| {
        EntryError::Bad(BadEntry {
            path: path.to_owned(),
            diagnostics,
        })
    })
}

/// The subfolders of a folder, with their times; empty if it does not exist.
fn folders_of(folder: &Path) -> Result<BTreeMap<String, FileTime>, FileError> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(FileError::of(Action::Listed, folder)(error)),
    };
    let mut folders = BTreeMap::new();
    for entry in listed {
        let entry = entry.map_err(FileError::of(Action::Listed, folder))?;
        let kind = entry
            .file_type()
            .map_err(FileError::of(Action::Read, folder))?;
        if let (true, Ok(name)) = (kind.is_dir(), entry.file_name().into_string()) {
            let time = time_of(&entry.path())?;
            folders.insert(name, time);
        }
    }
    Ok(folders)
}

fn time_of(folder: &Path) -> Result<FileTime, FileError> {
    let found = std::fs::metadata(folder).map_err(FileError::of(Action::Read, folder))?;
    Ok(Stamp::of(&found).modified)
}

/// The bytes of a file; empty if it does not exist.
fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    match crate::read_file(path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(FileError::of(Action::Read, path)(error)),
    }
}
