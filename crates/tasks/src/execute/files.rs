//! What tasks find and leave on disk.

use std::io;

use review_process::{GroupId, Sink};
use review_types::{Hash, TaskNumber};

/// The files that the tasks of one unit find and leave.
///
/// Paths are relative to the root, with `/` between their parts.
pub trait TaskFiles: Send + Sync {
    /// Opens the log of a command. No two logs of a run have the same name.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn log(&self, name: &str) -> io::Result<TaskLog>;

    /// Notes the group of a command that has just started, so that a run after
    /// a crash can end it. Dropping the note takes it away.
    ///
    /// # Errors
    /// When it cannot be written.
    fn note_child(&self, group: GroupId) -> io::Result<Box<dyn Send>>;

    /// The record of a task; `None` when there is none.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    fn record(&self, task: TaskNumber) -> io::Result<Option<Vec<u8>>>;

    /// Puts the record of a task in place of the one before.
    ///
    /// # Errors
    /// When it cannot be written; the one before is then still whole.
    fn write_record(&self, task: TaskNumber, record: &[u8]) -> io::Result<()>;

    /// The hash of the tree without the statuses of tasks and without the
    /// state folder. `listed` holds its files, each path ended by a zero byte,
    /// in any order and perhaps more than once; files that are gone count as
    /// such. Without a list the files are those that a walk finds.
    ///
    /// # Errors
    /// When a file of it cannot be read.
    fn tree(&self, listed: Option<&[u8]>) -> io::Result<Hash>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Puts other bytes in place of a file, all of them or none. Its
    /// permissions stay.
    ///
    /// # Errors
    /// When it cannot be written.
    fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
}

/// The log of a command.
pub struct TaskLog {
    /// Takes both outputs.
    pub sink: Box<dyn Sink>,
    /// Its path, as people are told it.
    pub path: String,
}
