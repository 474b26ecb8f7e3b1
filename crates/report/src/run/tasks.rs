//! The tasks of a run.

use review_events::{MustPass, TaskFinished, TaskSkipped, TaskState, TaskStatusKept};
use review_types::TaskNumber;
use serde::Serialize;

/// One task of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TaskRun"))]
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
    /// The end of what its command printed.
    #[serde(skip)]
    pub tail: String,
}

impl TaskReport {
    pub(super) fn finished(task: &TaskFinished, command: String) -> Self {
        Self {
            id: task.task,
            title: task.title.clone(),
            command,
            status: task.state,
            tests_run: task.tests_run,
            must_pass: task.must_pass.clone(),
            seconds: std::time::Duration::from_millis(task.took_ms).as_secs_f64(),
            cached: task.cached,
            changed_tree: task.changed_tree,
            reason: task.reason.clone(),
            status_kept: None,
            log: task.log.clone(),
            tail: task.tail.clone(),
        }
    }

    pub(super) fn open(task: TaskNumber, title: &str, command: String) -> Self {
        Self {
            id: task,
            title: title.to_owned(),
            command,
            status: TaskState::NotRun,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            cached: false,
            changed_tree: false,
            reason: "the run was cut off before it ended".to_owned(),
            status_kept: None,
            log: None,
            tail: String::new(),
        }
    }

    pub(super) fn skipped(task: &TaskSkipped) -> Self {
        Self {
            id: task.task,
            title: task.title.clone(),
            command: String::new(),
            status: TaskState::Skipped,
            tests_run: None,
            must_pass: None,
            seconds: 0.0,
            cached: false,
            changed_tree: false,
            reason: waits_for(&task.because_of),
            status_kept: None,
            log: None,
            tail: String::new(),
        }
    }
}

/// Puts a task in its place by number, over what it was before.
pub(super) fn put(tasks: &mut Vec<TaskReport>, task: TaskReport) {
    match tasks.binary_search_by_key(&task.id, |task| task.id) {
        Ok(at) => tasks[at] = task,
        Err(at) => tasks.insert(at, task),
    }
}

/// Notes why the file of a task has another status than it should.
pub(super) fn keep_status(tasks: &mut [TaskReport], kept: &TaskStatusKept) {
    if let Ok(at) = tasks.binary_search_by_key(&kept.task, |task| task.id) {
        tasks[at].status_kept = Some(kept.reason.clone());
    }
}

/// Names tasks, at most ten of them.
pub(super) fn named_tasks(tasks: &[TaskNumber]) -> String {
    const NAMED: usize = 10;
    let noun = if tasks.len() == 1 { "task" } else { "tasks" };
    let numbers: Vec<_> = tasks.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match tasks.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{noun} {}{more}", numbers.join(", "))
}

/// Which tasks a skipped one waits for.
pub(super) fn waits_for(tasks: &[TaskNumber]) -> String {
    let numbers: Vec<_> = tasks.iter().map(|task| format!("#{task}")).collect();
    format!("waits for {}", numbers.join(", "))
}
