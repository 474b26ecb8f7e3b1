//! The folder of one run.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use review_types::RunId;

use super::StateDir;
use crate::atomic::write_private;
use crate::disk::{self, Durability};
use crate::{Action, ChildSlot, FileError, FileJournal, LogFile};

/// The variable in which the programs of a run find its id, and by which a later
/// process finds those that were left running.
pub const RUN_VARIABLE: &str = "RALPH_RUN";

/// The folder of one run: its journal, its logs, and the process group of its current
/// program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    id: RunId,
    path: PathBuf,
}

impl RunDir {
    pub(super) fn new(id: RunId, path: PathBuf) -> Self {
        Self { id, path }
    }

    /// The run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The state folder that contains the run, for reading its blobs.
    pub fn state(&self) -> StateDir {
        let state = self.path.parent().and_then(Path::parent);
        StateDir::at(state.unwrap_or(&self.path))
    }

    /// The path of the journal.
    pub fn journal_path(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Creates the journal of a new run.
    ///
    /// # Errors
    /// Returns an error when it cannot be created or already exists.
    pub fn create_journal(&self) -> Result<FileJournal, FileError> {
        FileJournal::create(&self.journal_path())
    }

    /// Opens the journal of an earlier run.
    ///
    /// # Errors
    /// Returns an error when it does not exist or cannot be written.
    pub fn open_journal(&self) -> Result<FileJournal, FileError> {
        FileJournal::open(&self.journal_path())
    }

    /// Reads the journal.
    ///
    /// # Errors
    /// Returns an error when it does not exist or cannot be read.
    pub fn read_journal(&self) -> Result<Vec<u8>, FileError> {
        let path = self.journal_path();
        disk::read_state(&path).map_err(FileError::of(Action::Read, &path))
    }

    /// Whether a process is executing the run.
    pub fn is_live(&self) -> bool {
        crate::journal::is_live(&self.journal_path())
    }

    /// A log with this name. It is created with its first byte.
    pub fn log(&self, name: &str) -> LogFile {
        LogFile::new(&self.path.join("logs"), name)
    }

    /// Writes the feedback document of round `number` to `feedback/NNN.json`. It is not
    /// synced, since it can be rebuilt from the journal.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write_feedback(&self, number: u32, json: &[u8]) -> Result<(), FileError> {
        let folder = self.path.join("feedback");
        disk::create_private_folder(&folder).map_err(FileError::of(Action::Created, &folder))?;
        let path = folder.join(format!("{number:03}.json"));
        write_private(&path, json, Durability::Unsynced)
    }

    /// The number of the last event that the notification program received.
    pub fn notified(&self) -> Option<u64> {
        let text = disk::read_regular(&self.notified_path()).ok()?.bytes;
        std::str::from_utf8(&text).ok()?.trim().parse().ok()
    }

    /// Records that the event with this number was delivered.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn note_notified(&self, seq: u64) -> Result<(), FileError> {
        let text = format!("{seq}\n");
        write_private(&self.notified_path(), text.as_bytes(), Durability::Synced)
    }

    fn notified_path(&self) -> PathBuf {
        self.path.join("notified")
    }

    /// Replaces what its steps do right now, for other processes. It is not synced, since it
    /// is of no use after a crash.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write_live(&self, json: &[u8]) -> Result<(), FileError> {
        write_private(&self.live_path(), json, Durability::Unsynced)
    }

    /// Returns what its steps did when that was last written; `None` if there is nothing to
    /// read.
    pub fn read_live(&self) -> Option<Vec<u8>> {
        Some(disk::read_regular(&self.live_path()).ok()?.bytes)
    }

    /// Removes what its steps did.
    ///
    /// # Errors
    /// Returns an error when it exists and cannot be removed.
    pub fn remove_live(&self) -> Result<(), FileError> {
        crate::delete_file(&self.live_path())
    }

    /// Returns what is different after its journal grew, or its steps did something: the
    /// length of the journal, and when [`write_live`](Self::write_live) was last called.
    pub fn stamp(&self) -> (Option<u64>, Option<SystemTime>) {
        let length = std::fs::metadata(self.journal_path()).map(|found| found.len());
        let live = std::fs::metadata(self.live_path()).and_then(|found| found.modified());
        (length.ok(), live.ok())
    }

    fn live_path(&self) -> PathBuf {
        self.path.join("live.json")
    }

    /// Where the process groups of its programs are noted.
    pub fn child_slot(&self) -> ChildSlot {
        ChildSlot::new(&self.path)
    }
}
