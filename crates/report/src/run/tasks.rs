//! The tasks of a run.

use review_events::{
    Approval, AttemptCode, FlaggedChange, MustPass, TaskAttempted, TaskFinished, TaskOnLane,
    TaskReviewed, TaskState, TaskStatusSet,
};
use review_types::{FeedbackItem, ModelId, Scores, TaskNumber, Timestamp, Verdict, listed};
use serde::Serialize;

use super::lane;

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
    pub attempts: Vec<AttemptReport>,
    /// The reviews of the changes of agents, in order; left out where there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reviews: Vec<ReviewedReport>,
    /// The change of an agent that was accepted; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeReport>,
    /// The checkout that its agent worked in, where it is still there; left out elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// The command that shows its last change that was not accepted; left out where there
    /// is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows_change: Option<String>,
    /// The end of what its command printed.
    #[serde(skip)]
    pub tail: String,
}

/// An attempt of an agent that was not accepted.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Attempt")]
pub struct AttemptReport {
    /// Its number, from 1.
    pub attempt: u32,
    /// Why it was not accepted.
    pub code: AttemptCode,
    /// The reason in words.
    pub reason: String,
    /// The names of the first tests that the reason is about; left out where it is about
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tests: Vec<String>,
    /// The number of files that the agent changed.
    pub files: u32,
    /// The model that worked; `null` when it is unknown.
    pub by: Option<ModelId>,
    /// Whether the same attempt went on afterwards.
    pub repeated: bool,
    /// Whether a program says that it was denied a file.
    #[serde(skip)]
    pub is_denied: bool,
}

/// A review of the change of an agent.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "ChangeReview")]
pub struct ReviewedReport {
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Number of the round of its loop, from 1.
    pub iteration: u32,
    /// The model that reviewed; `null` when it is unknown.
    pub by: Option<ModelId>,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its scores.
    pub score: Scores,
    /// Its feedback.
    pub feedback: Vec<FeedbackItem>,
    /// When it was read.
    pub timestamp: Timestamp,
}

impl ReviewedReport {
    pub(super) fn of(reviewed: &TaskReviewed, timestamp: Timestamp) -> Self {
        let review = &reviewed.review;
        Self {
            attempt: reviewed.attempt,
            iteration: review.iteration,
            by: reviewed.by.clone(),
            verdict: review.verdict,
            score: review.scores.clone(),
            feedback: review.feedback.clone(),
            timestamp,
        }
    }
}

/// A change of an agent that was accepted.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Change")]
pub struct ChangeReport {
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The commit on the lane.
    pub commit: String,
    /// What is remarkable about it.
    pub flags: Vec<FlaggedChange>,
    /// The approval of a user; `null` where it needed none.
    pub approved: Option<Approval>,
    /// The files that agents may not change and that were restored.
    pub restored: Vec<String>,
}

impl AttemptReport {
    pub(super) fn of(attempt: &TaskAttempted) -> Self {
        Self {
            attempt: attempt.attempt,
            code: attempt.code,
            reason: attempt.reason.clone(),
            tests: attempt.tests.clone(),
            files: attempt.files,
            by: attempt.by.clone(),
            repeated: attempt.retry_in_ms.is_some(),
            is_denied: lane::is_denied(attempt),
        }
    }
}

impl ChangeReport {
    fn of(on_lane: &TaskOnLane) -> Self {
        Self {
            attempt: on_lane.attempt,
            commit: on_lane.commit.clone(),
            flags: on_lane.flags.clone(),
            approved: on_lane.approved.clone(),
            restored: on_lane.restored.clone(),
        }
    }
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
            reason: match task.state {
                TaskState::Skipped => waits_for(&task.because_of),
                _ => task.reason.clone(),
            },
            status_kept: None,
            log: task.log.clone(),
            attempts: Vec::new(),
            reviews: Vec::new(),
            change: None,
            checkout: None,
            shows_change: None,
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
            attempts: Vec::new(),
            reviews: Vec::new(),
            change: None,
            checkout: None,
            shows_change: None,
            tail: String::new(),
        }
    }
}

/// Puts a task in its place by number, over what it was before. What agents did at it
/// stays.
pub(super) fn put(tasks: &mut Vec<TaskReport>, mut task: TaskReport) {
    match tasks.binary_search_by_key(&task.id, |task| task.id) {
        Ok(at) => {
            let before = &mut tasks[at];
            before.attempts.append(&mut task.attempts);
            task.attempts = std::mem::take(&mut before.attempts);
            before.reviews.append(&mut task.reviews);
            task.reviews = std::mem::take(&mut before.reviews);
            task.change = before.change.take();
            if task.command.is_empty() {
                task.command = std::mem::take(&mut before.command);
            }
            *before = task;
        }
        Err(at) => tasks.insert(at, task),
    }
}

/// Notes the change of an agent that was accepted.
pub(super) fn add_change(tasks: &mut [TaskReport], on_lane: &TaskOnLane) {
    if let Ok(at) = tasks.binary_search_by_key(&on_lane.task, |task| task.id) {
        tasks[at].change = Some(ChangeReport::of(on_lane));
    }
}

/// Notes that the work at some tasks is landed.
pub(super) fn land(tasks: &mut [TaskReport], landed: &[TaskNumber]) {
    for task in tasks.iter_mut().filter(|task| landed.contains(&task.id)) {
        task.status = TaskState::Landed;
    }
}

/// Notes why the file of a task has another status than it should.
pub(super) fn keep_status(tasks: &mut [TaskReport], set: &TaskStatusSet) {
    if let (Some(reason), Ok(at)) = (
        &set.kept,
        tasks.binary_search_by_key(&set.task, |task| task.id),
    ) {
        tasks[at].status_kept = Some(reason.clone());
    }
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
