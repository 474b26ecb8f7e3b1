//! The tasks of a run.

use std::time::Duration;

use review_events::{
    MustPass, TaskAttempted, TaskFinished, TaskOnLane, TaskReviewed, TaskStarted, TaskState,
};
use review_types::{TaskNumber, listed};
use serde::Serialize;

/// One task of a run.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "TaskRun")]
pub struct TaskReport {
    /// Its number.
    pub id: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its commands, one per line; empty when none was started.
    pub command: String,
    /// Its state.
    pub status: TaskState,
    /// Tests that ran; `null` when no known runner counted any.
    pub tests_run: Option<u64>,
    /// The results of the tests that it lists; `null` when it lists none or its
    /// command did not pass.
    pub must_pass: Option<MustPass>,
    /// How long its command took, in seconds.
    pub seconds: f64,
    /// Whether an earlier recorded run was taken instead of a new one.
    pub cached: bool,
    /// Whether its command changed the tree it ran in.
    pub changed_tree: bool,
    /// What went wrong, in words; empty when nothing did.
    pub reason: String,
    /// Why its file could not be given the status that it should have; `null`
    /// when it has that status, or when none was to be written.
    pub status_kept: Option<String>,
    /// The log with all that its command printed.
    pub log: Option<String>,
    /// The attempts of agents that were not accepted, in order; left out where there
    /// were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub attempts: Vec<TaskAttempted>,
    /// The reviews of the changes of agents, in order; left out where there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviews: Vec<TaskReviewed>,
    /// The change of an agent that was accepted; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<TaskOnLane>,
    /// The checkout that its agent worked in, where it is still there; left out elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// The command that shows its last change that was not accepted; left out without
    /// such a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows_change: Option<String>,
    /// The end of what its command printed.
    #[serde(skip)]
    pub tail: String,
    /// The tasks that it waits for, where the plan is known.
    #[serde(skip)]
    pub(crate) depends_on: Vec<TaskNumber>,
    /// Whether it has started and not ended.
    #[serde(skip)]
    pub(crate) is_open: bool,
}

impl TaskReport {
    /// A task that has not started.
    pub(super) fn new(task: TaskNumber) -> Self {
        Self {
            id: task,
            title: String::new(),
            command: String::new(),
            status: TaskState::NotRun,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            cached: false,
            changed_tree: false,
            reason: String::new(),
            status_kept: None,
            log: None,
            attempts: Vec::new(),
            reviews: Vec::new(),
            change: None,
            checkout: None,
            shows_change: None,
            tail: String::new(),
            depends_on: Vec::new(),
            is_open: false,
        }
    }

    /// Starts it, maybe once more: what agents did at it stays.
    pub(super) fn start(&mut self, task: &TaskStarted) {
        *self = Self {
            title: task.title.clone(),
            command: task.command.clone(),
            attempts: std::mem::take(&mut self.attempts),
            reviews: std::mem::take(&mut self.reviews),
            change: self.change.take(),
            is_open: true,
            ..Self::new(task.task)
        };
    }

    /// Ends it.
    pub(super) fn finish(&mut self, task: &TaskFinished) {
        self.is_open = false;
        self.title.clone_from(&task.title);
        self.status = task.state;
        self.tests_run = task.tests_run;
        self.must_pass.clone_from(&task.must_pass);
        self.seconds = Duration::from_millis(task.took_ms).as_secs_f64();
        self.cached = task.cached;
        self.changed_tree = task.changed_tree;
        self.reason = match task.state {
            TaskState::Skipped => waits_for(&task.because_of),
            _ => task.reason.clone(),
        };
        self.log.clone_from(&task.log);
        self.tail.clone_from(&task.tail);
    }
}

/// The task of this number, which is put in its place where it is new.
pub(super) fn of_number(tasks: &mut Vec<TaskReport>, number: TaskNumber) -> &mut TaskReport {
    let at = match tasks.binary_search_by_key(&number, |task| task.id) {
        Ok(at) => at,
        Err(at) => {
            tasks.insert(at, TaskReport::new(number));
            at
        }
    };
    &mut tasks[at]
}

/// Names tasks, at most ten of them.
#[must_use]
pub fn named_tasks(tasks: &[TaskNumber]) -> String {
    const NAMED: usize = 10;
    let noun = if tasks.len() == 1 { "task" } else { "tasks" };
    format!("{noun} {}", listed(tasks, NAMED))
}

/// Which tasks a skipped one waits for.
pub(super) fn waits_for(tasks: &[TaskNumber]) -> String {
    let numbers: Vec<_> = tasks.iter().map(|task| format!("#{task}")).collect();
    format!("waits for {}", numbers.join(", "))
}
