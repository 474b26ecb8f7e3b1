//! The environment of the executor of tasks.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use review::events::LiveEvents;
use review_flow::{Clock, TraceParent};
use review_process::{Environment, Groups, Redactor, Sandbox, Stop};
use review_store::{Root, RunDir, StateDir};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Shell;

/// Default time limit of the command of a task.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(10);

/// The shared environment of the commands of one run.
pub struct TaskContext {
    /// The folder that commands run in: the root of the unit.
    pub root: Root,
    /// The variables of commands, before those that ralph sets.
    pub environment: Environment,
    /// The sandbox that commands run in, if there is one.
    pub sandbox: Option<Sandbox>,
    /// The folder from which paths of logs are shown: the root of the project.
    pub shown_from: PathBuf,
    /// The store of the records.
    pub state: StateDir,
    /// The run.
    pub run: RunDir,
    /// The shell that runs commands.
    pub shell: Shell,
    /// Whether a listed test whose result is unknown has not passed.
    pub require_names: bool,
    /// Default time limit of the command of a task.
    pub timeout: Duration,
    /// When the time limit of the whole run is reached.
    pub deadline: Option<Instant>,
    /// Replaces secrets in all output of commands.
    pub redactor: Redactor,
    /// The list of live process groups.
    pub groups: Groups,
    /// Receives what commands print while they run.
    pub live: LiveEvents,
    /// Names the span of a step to its commands, where traces are sent.
    pub trace_parent: Option<TraceParent>,
    /// Whether the run continues.
    pub stop: watch::Receiver<Stop>,
    /// Called when a command ended.
    pub clock: Arc<dyn Clock>,
}

impl TaskContext {
    /// Returns the remaining time of the run; `None` without a limit.
    pub(super) fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}
