//! The keys of a task file.

use review_types::closed_list;

closed_list!(
    /// A key of the front matter of a task file, in the order in which it has them.
    TaskKey {
        /// The number.
        Task => "task",
        /// The claimed state.
        Status => "status",
        /// The command or commands.
        Backpressure => "backpressure",
        /// The tasks that come first.
        DependsOn => "depends_on",
        /// The time limit.
        Timeout => "timeout",
        /// The requirements that it covers.
        Covers => "covers",
        /// The paths that it touches.
        Paths => "paths",
        /// Patterns for protected files that it may change.
        MayChange => "may_change",
        /// Patterns for files that no agent of its unit sees.
        Hidden => "hidden",
    }
);
