//! The result of a run of tasks.

use review::events::{LaneNotLanded, TaskState};
use review_types::{BlockCode, TaskNumber, listed, plural};

/// Maximum number of tasks that a reason names.
const NAMED: usize = 10;

/// The end of a run of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDone {
    /// Every task of the plan, by number.
    pub tasks: Vec<TaskOutcome>,
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
    /// Its state.
    pub state: TaskState,
}

/// Returns why a unit with these faults and outcomes is not done; a task may be held since it
/// changed tests.
pub(super) fn blocked(
    faults: &[String],
    (tasks, is_tampered): (&[TaskOutcome], bool),
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
    let code = match is_tampered {
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
