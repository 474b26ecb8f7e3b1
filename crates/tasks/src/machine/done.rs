//! The result of a run of tasks.

use review::events::{LaneNotLanded, TaskState};
use review_types::{BlockCode, TaskNumber, TaskStatus, listed, plural};

use super::op::Ran;
use super::plan::PlanFault;

/// Maximum number of tasks that a reason names.
const NAMED: usize = 10;

/// The end of a run of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDone {
    /// Every task of the plan, by number.
    pub tasks: Vec<TaskOutcome>,
    /// The faults that keep them all from running; usually empty.
    pub faults: Vec<PlanFault>,
    /// Why the unit is not done; `None` when every task passed.
    pub blocked: Option<Blocked>,
}

/// Why a run of tasks did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The reason as a stable code.
    pub code: BlockCode,
    /// The reason in words.
    pub reason: String,
}

/// The final state of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOutcome {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: TaskState,
    /// The status in its file.
    pub status: TaskStatus,
    /// Why the status in its file could not be changed, if it could not.
    pub status_kept: Option<String>,
    /// The result of its command, if it ran.
    pub ran: Option<Ran>,
    /// Whether it is held since it changed tests.
    pub is_tampered: bool,
}

/// Returns why a unit with these faults and outcomes is not done.
pub(super) fn blocked(
    faults: &[PlanFault],
    tasks: &[TaskOutcome],
    not_landed: Option<&LaneNotLanded>,
) -> Option<Blocked> {
    let reason = match faults {
        [] => {
            let not_landed = not_landed.map(|lane| {
                let tasks = plural(lane.tasks.len(), "task is", "tasks are");
                format!("{tasks} not landed: {}", lane.reason)
            });
            let reasons = [not_passed(tasks), not_landed];
            let reasons: Vec<_> = reasons.into_iter().flatten().collect();
            reasons.join("; ")
        }
        [fault] => format!("no task was run: {fault}"),
        [first, rest @ ..] => {
            let more = plural(rest.len(), "more fault", "more faults");
            format!("no task was run: {first}; and {more}")
        }
    };
    let is_held = tasks.iter().any(|task| task.is_tampered);
    let code = match is_held {
        true => BlockCode::Tampered,
        false => BlockCode::TaskFailed,
    };
    (!reason.is_empty()).then_some(Blocked { code, reason })
}

/// Lists the tasks that did not pass; `None` when all did.
fn not_passed(tasks: &[TaskOutcome]) -> Option<String> {
    let open: Vec<_> = tasks
        .iter()
        .filter(|task| !task.state.meets_dependency())
        .collect();
    if open.is_empty() {
        return None;
    }
    let words = |task: &&TaskOutcome| format!("task {} {}", task.task, task.state.as_str());
    let named = listed(open.iter().map(words), NAMED);
    let all = plural(tasks.len(), "task", "tasks");
    Some(format!("{} of {all} did not pass: {named}", open.len()))
}
