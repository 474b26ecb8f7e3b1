//! The proof that a task is done.

use review::events::MustPass;
use review_types::{Hash, RunId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::TreeHash;

/// A passing run of a task's command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The commands, one a step.
    pub command: Vec<String>,
    /// The exit status of the last one.
    pub exit: i32,
    /// How many tests ran; `None` when no runner said so.
    pub tests_run: Option<u64>,
    /// What became of the tests that the task lists; `None` when it lists none.
    pub must_pass: Option<MustPass>,
    /// Hash of the task file without its status.
    pub task: Hash,
    /// Hash of the tree that the command ran in. `None` when the command
    /// changed the tree: such a record spares no later run.
    pub tree: Option<TreeHash>,
    /// The run.
    pub run: RunId,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// When it ended.
    pub at: Timestamp,
}

impl TaskRecord {
    /// Whether it proves the task as it is now, with these commands and listed
    /// tests, in the tree as it is now.
    #[must_use]
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
