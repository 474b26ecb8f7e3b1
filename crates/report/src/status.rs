//! The states of specs and tasks.

use review_types::{TaskNumber, TaskStatus};
use serde::Serialize;

use crate::json::Version;
use crate::style::{ERROR, FAINT, GOOD, RESET, STRONG, WARNING};
use crate::text::printable;

/// The states of specs and tasks. This is the object that `--format json`
/// prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusReport {
    /// The version of the format.
    pub v: Version,
    /// The specs.
    pub specs: Vec<SpecStatus>,
}

/// A spec and its tasks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpecStatus {
    /// The spec, relative to the root.
    pub spec: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// Whether a recorded pass belongs to the spec and its tasks as they are.
    pub reviewed: bool,
    /// Its tasks.
    pub tasks: Vec<TaskLine>,
    /// What is wrong with the unit.
    pub faults: Vec<String>,
}

/// A task.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskLine {
    /// Its number.
    pub id: TaskNumber,
    /// Its title.
    pub title: String,
    /// The status that the task's file claims.
    pub status: TaskStatus,
    /// Whether a recorded passing run belongs to the task and tree as they are.
    pub recorded: bool,
    /// The tasks that it depends on.
    pub depends_on: Vec<TaskNumber>,
    /// Its command.
    pub command: String,
}

/// Returns a spec and its tasks as users read them.
#[must_use]
pub fn human(spec: &SpecStatus) -> String {
    let review = match spec.reviewed {
        true => format!("{GOOD}reviewed{RESET}"),
        false => format!("{WARNING}not reviewed as it is{RESET}"),
    };
    let mut text = format!("{STRONG}{}{RESET}  {review}\n", printable(&spec.spec));
    for fault in &spec.faults {
        text.push_str(&format!("  {ERROR}fault{RESET}  {}\n", printable(fault)));
    }
    for task in &spec.tasks {
        let style = match task.status {
            TaskStatus::Complete => GOOD,
            TaskStatus::Failed | TaskStatus::Blocked => ERROR,
            TaskStatus::Pending | TaskStatus::InProgress => WARNING,
        };
        let recorded = match (task.recorded, task.status) {
            (true, _) => "  recorded",
            (false, TaskStatus::Complete) => "  not recorded for this tree",
            (false, _) => "",
        };
        text.push_str(&format!(
            "  task {}  {style}{}{RESET}  {}{FAINT}{recorded}{RESET}\n",
            task.id,
            task.status,
            printable(&task.title)
        ));
    }
    text
}
