//! The status of a task.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a task stands by the word of its own file.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nothing was done yet.
    #[default]
    Pending,
    /// Somebody works on it.
    InProgress,
    /// Its command passed.
    Complete,
    /// Its command failed for good.
    Failed,
    /// Something outside the task holds it up.
    Blocked,
}

impl TaskStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::InProgress,
        Self::Complete,
        Self::Failed,
        Self::Blocked,
    ];

    /// The word used in task files and JSON.
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
