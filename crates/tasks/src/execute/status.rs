//! Writes a status into a task file.

use review_document::set_status;
use review_store::{Reader, Root, RootPath};
use review_types::TaskStatus;

use crate::machine::{PlannedTask, TaskOut};

/// Writes the status in the file of a task. A file that cannot be edited is left
/// unchanged, and the run continues.
pub(super) fn write(root: &Root, task: &PlannedTask, status: TaskStatus) -> TaskOut {
    match try_write(root, task, status) {
        Ok(()) => TaskOut::StatusWritten,
        Err(error) => {
            let reason = format!("{} keeps its status: {error}", task.path);
            tracing::warn!("{reason}");
            TaskOut::StatusKept { reason }
        }
    }
}

fn try_write(
    root: &Root,
    task: &PlannedTask,
    status: TaskStatus,
) -> Result<(), Box<dyn std::error::Error>> {
    let before = Reader::new(root).read(&task.path)?;
    let after = set_status(&before, status)?;
    if after != before {
        root.replace(&RootPath::new(&task.path)?, &after)?;
    }
    Ok(())
}
