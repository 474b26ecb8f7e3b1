//! Records of earlier results: passing runs of tasks, verdicts on specs.

mod kept;
mod spec;
mod task;

use std::io;
use std::path::{Path, PathBuf};

use review_flow::hash_bytes;
use review_types::{TaskNumber, UnitId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::disk::{self, Durability, Mode};
use crate::{Action, FileError, RootPath};

pub use kept::KeptRecords;
pub use spec::SpecRecord;
pub use task::TaskRecord;

/// The version of the format.
const VERSION: u64 = 1;
/// The maximum length of a name; longer ones are replaced by their hash.
const MAX_NAME: usize = 200;

/// The completion records of a state folder.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

/// The result of a search for a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordLookup<T> {
    /// The record does not exist.
    Nothing,
    /// The record.
    Record(T),
    /// The file is not a valid record and is ignored.
    Unreadable(BadRecord),
}

/// A file that is not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ignored the invalid record {}: {message}", path.display())]
pub struct BadRecord {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub message: String,
}

impl<T> RecordLookup<T> {
    /// Returns the record, if there is one.
    pub fn record(self) -> Option<T> {
        match self {
            Self::Record(record) => Some(record),
            Self::Nothing | Self::Unreadable(_) => None,
        }
    }
}

impl Records {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Reads the last passing run of a task.
    pub fn task(&self, unit: &UnitId, task: TaskNumber) -> RecordLookup<TaskRecord> {
        read(&self.task_path(unit, task))
    }

    /// Writes a passing run of a task, replacing the previous record.
    ///
    /// # Errors
    /// Returns an error when the record cannot be written.
    pub fn put_task(
        &self,
        unit: &UnitId,
        task: TaskNumber,
        record: &TaskRecord,
    ) -> Result<(), FileError> {
        self.write(&self.task_path(unit, task), record)
    }

    /// Reads the last verdict on a spec.
    pub fn spec(&self, spec: &RootPath) -> RecordLookup<SpecRecord> {
        read(&self.spec_path(spec))
    }

    /// Writes the verdict on a spec, replacing the previous record.
    ///
    /// # Errors
    /// Returns an error when the record cannot be written.
    pub fn put_spec(&self, spec: &RootPath, record: &SpecRecord) -> Result<(), FileError> {
        self.write(&self.spec_path(spec), record)
    }

    fn task_path(&self, unit: &UnitId, task: TaskNumber) -> PathBuf {
        self.folder.join(unit.as_str()).join(format!("{task}.json"))
    }

    /// The name contains the whole path of the spec, since another folder may contain
    /// one with the same name.
    fn spec_path(&self, spec: &RootPath) -> PathBuf {
        let name = spec.as_str().replace('%', "%25").replace('/', "%2F");
        let name = if name.len() > MAX_NAME {
            hash_bytes(name.as_bytes()).to_string()
        } else {
            name
        };
        self.folder.join(format!("{name}.json"))
    }

    fn write(&self, path: &Path, record: &impl Serialize) -> Result<(), FileError> {
        self.try_write(path, record)
            .map_err(FileError::of(Action::Written, path))
    }

    fn try_write(&self, path: &Path, record: &impl Serialize) -> io::Result<()> {
        let mut json = serde_json::to_value(record)?;
        if let Value::Object(fields) = &mut json {
            fields.insert("v".to_owned(), VERSION.into());
        }
        let mut bytes = serde_json::to_vec_pretty(&json)?;
        bytes.push(b'\n');
        disk::create_private_folder(&self.folder)?;
        if let Some(folder) = path.parent().filter(|folder| *folder != self.folder) {
            disk::create_private_folder(folder)?;
        }
        let mode = Mode::Exactly(disk::PRIVATE_FILE);
        disk::replace(path, &bytes, mode, Durability::Synced)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> RecordLookup<T> {
    let bad = |message: String| {
        RecordLookup::Unreadable(BadRecord {
            path: path.to_owned(),
            message,
        })
    };
    let bytes = match disk::read_regular(path) {
        Ok(content) => content.bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return RecordLookup::Nothing,
        Err(error) => return bad(error.to_string()),
    };
    let json: Value = match serde_json::from_slice(&bytes) {
        Ok(json) => json,
        Err(error) => return bad(error.to_string()),
    };
    match json.get("v").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(other) => {
            return bad(format!(
                "unsupported format version: expected {VERSION}, found {other}"
            ));
        }
        None => return bad("missing format version".to_owned()),
    }
    serde_json::from_value(json).map_or_else(|error| bad(error.to_string()), RecordLookup::Record)
}
