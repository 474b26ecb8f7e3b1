//! The status of a task.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The status of a task in its own file.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nothing has been done yet.
    #[default]
    Pending,
    /// It is being worked on.
    InProgress,
    /// Its command passed.
    Complete,
    /// Its command failed permanently.
    Failed,
    /// Something outside the task blocks it.
    Blocked,
}

impl TaskStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::InProgress,
        Self::Complete,
        Self::Failed,
        Self::Blocked,
    ];

    /// Returns the word used in task files and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
