//! What a run of tasks comes to.

use review::events::TaskState;
use review_types::{BlockCode, TaskNumber, TaskStatus, plural};

use super::op::Ran;
use super::plan::PlanFault;

/// Tasks that a reason names one by one.
const NAMED: usize = 10;

/// How a run of tasks ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDone {
    /// Every task of the plan, by number.
    pub tasks: Vec<TaskOutcome>,
    /// Why none of them may run; empty when they may.
    pub faults: Vec<PlanFault>,
    /// Why the unit is not done; `None` when every task passed.
    pub blocked: Option<Blocked>,
}

/// Why a run of tasks did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Why, as a closed code.
    pub code: BlockCode,
    /// Why, in words.
    pub reason: String,
}

/// Where one task stands in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOutcome {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub state: TaskState,
    /// The status in its file.
    pub status: TaskStatus,
    /// Why its file could not be given another status, if so.
    pub status_kept: Option<String>,
    /// How its command went, if it had its turn.
    pub ran: Option<Ran>,
}

impl TaskDone {
    /// Whether every task passed.
    #[must_use]
    pub const fn all_passed(&self) -> bool {
        self.blocked.is_none()
    }

    /// Why the unit is not done, as a closed code.
    #[must_use]
    pub fn block_code(&self) -> Option<BlockCode> {
        self.blocked.as_ref().map(|blocked| blocked.code)
    }
}

/// What keeps a unit with these faults and outcomes from being done.
pub(super) fn blocked(faults: &[PlanFault], tasks: &[TaskOutcome]) -> Option<Blocked> {
    let reason = match faults {
        [] => not_passed(tasks)?,
        [fault] => format!("no task was run: {fault}"),
        [first, rest @ ..] => {
            let more = plural(rest.len(), "more fault", "more faults");
            format!("no task was run: {first}; and {more}")
        }
    };
    Some(Blocked {
        code: BlockCode::TaskFailed,
        reason,
    })
}

/// Names the tasks that did not pass; `None` when all did.
fn not_passed(tasks: &[TaskOutcome]) -> Option<String> {
    let open: Vec<_> = tasks
        .iter()
        .filter(|task| task.state != TaskState::Passed)
        .collect();
    if open.is_empty() {
        return None;
    }
    let words = |task: &&TaskOutcome| format!("{} {}", task.task, task.state.as_str());
    let mut named: Vec<_> = open.iter().take(NAMED).map(words).collect();
    if open.len() > NAMED {
        named.push(format!("{} more", open.len() - NAMED));
    }
    let all = plural(tasks.len(), "task", "tasks");
    Some(format!(
        "{} of {all} did not pass: {}",
        open.len(),
        named.join(", ")
    ))
}
