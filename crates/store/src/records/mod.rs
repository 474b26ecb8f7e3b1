//! Records of earlier results: passing runs of tasks, verdicts on specs.

mod kept;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use review::events::{Approval, MustPass};
use review_flow::hash_bytes;
use review_types::{Hash, ModelId, RunId, TaskNumber, Timestamp, UnitId, Verdict};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::{self, Durability};
use crate::{Action, FileError, RootPath, TreeHash};

pub use kept::KeptRecords;

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
        disk::replace_private(path, &bytes, Durability::Synced)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> RecordLookup<T> {
    match try_read(path) {
        Ok(Some(record)) => RecordLookup::Record(record),
        Ok(None) => RecordLookup::Nothing,
        Err(error) => RecordLookup::Unreadable(BadRecord {
            path: path.to_owned(),
            message: error.to_string(),
        }),
    }
}

fn try_read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Box<dyn Error>> {
    let Some(content) = disk::found(disk::read_regular(path))? else {
        return Ok(None);
    };
    let json: Value = serde_json::from_slice(&content.bytes)?;
    match json.get("v").and_then(Value::as_u64) {
        Some(VERSION) => Ok(Some(serde_json::from_value(json)?)),
        Some(other) => {
            Err(format!("unsupported format version: expected {VERSION}, found {other}").into())
        }
        None => Err("missing format version".into()),
    }
}

/// The verdict of a run on a spec and its unit, or an approval instead of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRecord {
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// The reviewer, actual or intended.
    pub reviewer: ModelId,
    /// The decision; an approval is not a pass.
    pub verdict: Verdict,
    /// The users who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The run.
    pub run: RunId,
    /// The time of the decision.
    pub at: Timestamp,
}

impl SpecRecord {
    /// Whether it is a pass of this version of the artifact.
    pub fn proves(&self, artifact: Hash) -> bool {
        self.verdict == Verdict::Pass && self.artifact == artifact
    }

    /// The user who approved this version of the artifact, if there is one.
    pub fn approver(&self, artifact: Hash) -> Option<&str> {
        self.approved_by
            .as_deref()
            .filter(|_| self.artifact == artifact)
    }
}

/// A passing run of a task's command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The commands, one per step.
    pub command: Vec<String>,
    /// The exit status of the last one.
    pub exit: i32,
    /// The number of tests that ran; `None` if no runner reported it.
    pub tests_run: Option<u64>,
    /// The results of the tests that the task lists; `None` if it lists none.
    pub must_pass: Option<MustPass>,
    /// Hash of the task file without its status.
    pub task: Hash,
    /// Hash of the tree in which the command ran. `None` if the command changed the
    /// tree: such a record does not replace a later run.
    pub tree: Option<TreeHash>,
    /// The run.
    pub run: RunId,
    /// The duration in milliseconds.
    pub took_ms: u64,
    /// The end time.
    pub at: Timestamp,
    /// The approval of a user, if the change of an agent needed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Approval>,
}

impl TaskRecord {
    /// Whether it proves the task in this version, with these commands and listed
    /// tests, in this tree.
    pub fn proves(
        &self,
        command: &[String],
        listed: &[String],
        task: Hash,
        tree: TreeHash,
    ) -> bool {
        let is_listed = match &self.must_pass {
            None => listed.is_empty(),
            Some(found) => found.is_of(listed) && found.missing().next().is_none(),
        };
        self.exit == 0
            && self.command == command
            && self.task == task
            && self.tree == Some(tree)
            && is_listed
    }
}
