//! The status of a task.

use crate::closed_list;

closed_list! {
    /// The status of a task in its own file.
    #[derive(Default)]
    TaskStatus {
        /// Nothing has been done yet.
        #[default]
        Pending => "pending",
        /// It is being worked on.
        InProgress => "in_progress",
        /// Its command passed.
        Complete => "complete",
        /// Its command failed permanently.
        Failed => "failed",
        /// Something outside the task blocks it.
        Blocked => "blocked",
    }
}
