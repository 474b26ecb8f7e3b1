//! The world as the executor of tasks sees it.

use std::sync::Arc;
use std::time::Duration;

use review_flow::Clock;
use review_process::{Groups, Redactor, Stop};
use review_store::{Root, RunDir, StateDir};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Shell;

/// How long the command of a task may take that does not say so itself.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(10);

/// What the commands of one run share.
pub struct TaskContext {
    /// The folder that commands run in: the root of the unit.
    pub root: Root,
    /// Where the records are kept.
    pub state: StateDir,
    /// The run. Commands find its id in the variable `RALPH_RUN`.
    pub run: RunDir,
    /// The shell that runs commands.
    pub shell: Shell,
    /// Whether the user leaves the options of pytest to us: the variable
    /// `PYTEST_ADDOPTS` is not set.
    pub sets_pytest_options: bool,
    /// How long the command of a task may take that does not say so itself.
    pub timeout: Duration,
    /// When the time of the whole run is up.
    pub deadline: Option<Instant>,
    /// What replaces secrets in everything that a command prints.
    pub redactor: Redactor,
    /// Where the live process groups are listed.
    pub groups: Groups,
    /// Whether the run goes on.
    pub stop: watch::Receiver<Stop>,
    /// Tells when a command ended.
    pub clock: Arc<dyn Clock>,
}

impl TaskContext {
    /// The time that is left of the run; `None` when it has no end.
    pub(super) fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
