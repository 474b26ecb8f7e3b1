//! The keys of a task file.

/// A key of the front matter of a task file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskKey {
    /// The number.
    Task,
    /// The claimed state.
    Status,
    /// The command or commands.
    Backpressure,
    /// The tasks that come first.
    DependsOn,
    /// The time limit.
    Timeout,
    /// The requirements that it covers.
    Covers,
    /// The paths that it touches.
    Paths,
    /// Patterns for protected files that it may change.
    MayChange,
    /// Patterns for files that no agent of its unit sees.
    Hidden,
}

impl TaskKey {
    /// All keys, in the order in which a task file has them.
    pub const ALL: [Self; 9] = [
        Self::Task,
        Self::Status,
        Self::Backpressure,
        Self::DependsOn,
        Self::Timeout,
        Self::Covers,
        Self::Paths,
        Self::MayChange,
        Self::Hidden,
    ];

    /// Returns the key as written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Status => "status",
            Self::Backpressure => "backpressure",
            Self::DependsOn => "depends_on",
            Self::Timeout => "timeout",
            Self::Covers => "covers",
            Self::Paths => "paths",
            Self::MayChange => "may_change",
            Self::Hidden => "hidden",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == name)
    }
}
