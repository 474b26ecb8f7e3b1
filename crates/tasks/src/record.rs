//! Completion records: what proves that a task is complete, or that a spec
//! passed its review.

use review_types::{Hash, RunId, TaskNumber, Timestamp};
use serde::{Deserialize, Serialize};

/// The version of both formats.
pub const RECORD_VERSION: u32 = 1;

/// A passing run of the command of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Version of the format.
    pub v: u32,
    /// Number of the task.
    pub task: TaskNumber,
    /// Its commands, one step each.
    pub command: Vec<String>,
    /// The status that the last of them ended with.
    pub exit: i32,
    /// Tests that ran; `None` when no known runner counted any.
    pub tests_run: Option<u64>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Hash of the task file without its status.
    pub file: Hash,
    /// Hash of the tree without the statuses of tasks; `None` when the command
    /// changed the tree, so that the record proves nothing later.
    pub tree: Option<Hash>,
    /// The run that recorded it.
    pub run: RunId,
    /// When the command ended.
    pub at: Timestamp,
}

/// What a record of a task must be about to prove the task complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The commands of the task.
    pub command: &'a [String],
    /// Hash of the task file without its status.
    pub file: Hash,
    /// Hash of the tree without the statuses of tasks.
    pub tree: Hash,
}

impl TaskRecord {
    /// Whether the recorded run was about exactly this.
    #[must_use]
    pub fn proves(&self, subject: &Subject<'_>) -> bool {
        self.v == RECORD_VERSION
            && self.exit == 0
            && self.command == subject.command
            && self.file == subject.file
            && self.tree == Some(subject.tree)
    }
}

/// A review that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecRecord {
    /// Version of the format.
    pub v: u32,
    /// Hash of the artifact without the statuses of tasks.
    pub artifact: Hash,
    /// The person who let it pass; `None` when a reviewer did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The run that recorded it.
    pub run: RunId,
    /// When.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> Hash {
        Hash::from_bytes([byte; 32])
    }

    fn record() -> TaskRecord {
        TaskRecord {
            v: RECORD_VERSION,
            task: TaskNumber::new(7).expect("not 0"),
            command: vec!["make check".to_owned()],
            exit: 0,
            tests_run: Some(3),
            took_ms: 12,
            file: hash(1),
            tree: Some(hash(2)),
            run: "r1".parse().expect("a legal name"),
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_record_proves_the_same_command_file_and_tree_and_nothing_else() {
        let command = ["make check".to_owned()];
        let other = ["make check".to_owned(), "make lint".to_owned()];
        let subject = Subject {
            command: &command,
            file: hash(1),
            tree: hash(2),
        };
        assert!(record().proves(&subject));
        for stranger in [
            Subject {
                command: &other,
                ..subject
            },
            Subject {
                file: hash(3),
                ..subject
            },
            Subject {
                tree: hash(3),
                ..subject
            },
        ] {
            assert!(!record().proves(&stranger), "{stranger:?}");
        }
        let none = TaskRecord {
            tree: None,
            ..record()
        };
        let failed = TaskRecord {
            exit: 1,
            ..record()
        };
        let later = TaskRecord { v: 2, ..record() };
        for record in [none, failed, later] {
            assert!(!record.proves(&subject), "{record:?}");
        }
    }

    #[test]
    fn a_record_is_written_as_it_is_documented() {
        let json = serde_json::to_value(record()).expect("json");
        let zeros = |digit: &str| digit.repeat(32);
        assert_eq!(
            json,
            serde_json::json!({
                "v": 1,
                "task": 7,
                "command": ["make check"],
                "exit": 0,
                "tests_run": 3,
                "took_ms": 12,
                "file": zeros("01"),
                "tree": zeros("02"),
                "run": "r1",
                "at": "1970-01-01T00:00:00Z",
            })
        );
        assert_eq!(
            serde_json::from_value::<TaskRecord>(json).ok(),
            Some(record())
        );
    }
}
