//! How far the tasks of a run are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use review_events::{LaneLanded, LaneNotLanded, TaskState};
use review_types::{BlockCode, Outcome, RunId, TaskNumber};
use serde::Serialize;

use super::lane;
use super::report::RunReport;
use super::summary::{outcome_line, steps};
use super::tasks::{AttemptReport, TaskReport};
use crate::json::Version;
use crate::next::NextStep;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, Styling, WARNING};
use crate::text::{one_line, printable};

/// How far the tasks of a run are. This is the object that
/// `ralph status RUN --format json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// The version of the format.
    pub v: Version,
    /// The id of the run.
    pub run: Option<RunId>,
    /// The root that its paths are relative to.
    pub root: String,
    /// The spec, relative to the root.
    pub spec: String,
    /// The outcome of the run; `null` while a process is at work on it.
    pub outcome: Option<Outcome>,
    /// Why it is blocked, as a closed code.
    pub block_code: Option<BlockCode>,
    /// Why it is blocked, in words; empty when it is not.
    pub block_reason: String,
    /// Which process is at work on it, since when, and on what; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// The folder with the checkouts of its agents; left out where no agent implements
    /// its tasks, or it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// The tasks by number.
    pub tasks: Vec<TaskProgress>,
    /// Where the work of agents was landed, in order.
    pub landed: Vec<LaneLanded>,
    /// Why the work of agents is on the lane only; `null` where it is not.
    pub not_landed: Option<LaneNotLanded>,
    /// What a user can do next, the best step first.
    pub next: Vec<NextStep>,
    #[serde(skip)]
    outcome_line: String,
}

/// How far a task of a run is.
#[derive(Clone, Debug, Serialize)]
pub struct TaskProgress {
    /// Its number.
    pub id: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its state.
    pub status: TaskState,
    /// Whether the run is at it now.
    pub running: bool,
    /// What blocks it, in words; empty where nothing does.
    pub reason: String,
    /// The attempts of agents that were not accepted, in order.
    pub attempts: Vec<AttemptReport>,
    /// The commit of its change on the lane; `null` where there is none.
    pub commit: Option<String>,
    /// The checkout that its agent works in, or worked in; `null` where there is none.
    pub checkout: Option<String>,
    /// The command that shows its last change that was not accepted; left out where there
    /// is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows_change: Option<String>,
}

impl RunStatus {
    /// Returns the status of the run of `report`, whose paths are relative to `root`.
    /// `lane` is the folder of its agents, and `checkouts` are those that exist.
    #[must_use]
    pub fn of(
        report: RunReport,
        root: String,
        lane: Option<String>,
        mut checkouts: BTreeMap<TaskNumber, String>,
    ) -> Self {
        let outcome_line = outcome_line(&report);
        let is_live = report.outcome.is_none();
        let started = report.commands;
        let progress = |task: TaskReport| {
            let is_open = task.status == TaskState::NotRun;
            let is_left = matches!(task.status, TaskState::Parked | TaskState::Held);
            let last = task.attempts.iter().rev().find(|attempt| attempt.files > 0);
            let shows_change = lane.as_ref().zip(last).filter(|_| is_left);
            TaskProgress {
                shows_change: shows_change.map(|(lane, last)| show_change(lane, task.id, last)),
                id: task.id,
                title: task.title,
                status: task.status,
                running: is_live && is_open && started.contains_key(&task.id),
                reason: match is_live && is_open {
                    true => String::new(),
                    false => task.reason,
                },
                attempts: task.attempts,
                commit: task.change.map(|change| change.commit),
                checkout: checkouts.remove(&task.id),
            }
        };
        let tasks = report.tasks.into_iter().map(progress).collect();
        Self {
            v: Version,
            run: report.run,
            root,
            spec: report.spec,
            outcome: report.outcome,
            block_code: report.block_code,
            block_reason: report.block_reason,
            progress: report.progress,
            lane,
            tasks,
            landed: report.landed,
            not_landed: report.not_landed,
            next: report.next,
            outcome_line,
        }
    }
}

/// The command that shows the snapshot of an attempt, which the lane keeps.
fn show_change(lane: &str, task: TaskNumber, attempt: &AttemptReport) -> String {
    let snapshot = format!("refs/ralph/task/{task}/{}", attempt.attempt);
    let repository = format!("{lane}/lane.git");
    shell_words::join(["git", "-C", &repository, "show", &snapshot])
}

/// Returns the status of a run as users read it, in lines of this width.
#[must_use]
pub fn human_status(status: &RunStatus, width: Option<usize>, styling: Styling) -> String {
    let run = status.run.as_ref().map_or("", RunId::as_str);
    let mut text = format!(
        "{STRONG}run {run}{RESET}  {}\n{}",
        printable(&status.spec),
        status.outcome_line
    );
    if status.tasks.is_empty() {
        text.push_str("no task had its turn\n");
    }
    for task in &status.tasks {
        text.push_str(&line(task));
    }
    text.extend(status.landed.iter().map(lane::landed));
    text.extend(status.not_landed.iter().map(lane::not_landed));
    if let Some(folder) = &status.lane {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{FAINT}checkouts are in {}{RESET}", printable(folder));
    }
    text.push_str(&steps(&status.next, width));
    styling.apply(text)
}

/// A task in a line, with its attempts and its checkout below it.
fn line(task: &TaskProgress) -> String {
    let (style, word) = match (task.running, task.status) {
        (true, _) => (WARNING, "running"),
        (false, TaskState::NotRun) if task.reason.is_empty() => (FAINT, "waiting"),
        (false, TaskState::Passed | TaskState::OnLane | TaskState::Landed) => {
            (GOOD, task.status.as_str())
        }
        (false, TaskState::Skipped | TaskState::NotRun) => (WARNING, task.status.as_str()),
        (false, _) => (ERROR, task.status.as_str()),
    };
    // The target may have another commit with the same change.
    let on_lane = (task.status == TaskState::OnLane).then_some(task.commit.as_deref());
    let commit = on_lane.flatten().map(lane::short);
    let commit = commit.map_or_else(String::new, |commit| format!("  {FAINT}{commit}{RESET}"));
    let mut text = format!(
        "  task {}  {style}{word}{RESET}  {}{commit}\n",
        task.id,
        one_line(&task.title)
    );
    for attempt in &task.attempts {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "    {FAINT}attempt {}: {}: {}{RESET}",
            attempt.attempt,
            attempt.code,
            one_line(&attempt.reason)
        );
    }
    let is_said = task.attempts.last().is_some_and(|last| {
        let said = format!("{}: {}", last.code, last.reason);
        said == task.reason
    });
    if !task.reason.is_empty() && !is_said {
        let _ = writeln!(text, "    {FAINT}{}{RESET}", one_line(&task.reason));
    }
    if let Some(checkout) = &task.checkout {
        let _ = writeln!(text, "    {FAINT}checkout {}{RESET}", printable(checkout));
    }
    if let Some(command) = &task.shows_change {
        let _ = writeln!(text, "    {FAINT}change   `{}`{RESET}", printable(command));
    }
    text
}
