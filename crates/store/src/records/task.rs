//! The record of a completed task.

use review::events::{Approval, MustPass};
use review_types::{Hash, RunId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::TreeHash;

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
