//! How a run ended.

use review::events::RunFinished;
use review::machine::ReviewDone;
use review_tasks::TaskDone;
use review_types::{Hash, ModelId, Outcome};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunDone {
    /// How the review ended, if there was one.
    pub(crate) review: Option<ReviewDone>,
    /// How the tasks ended, if they had their turn.
    pub(crate) tasks: Option<TaskDone>,
    /// The outcome of the run.
    pub(crate) finished: RunFinished,
    /// The artifact that the last review is about.
    pub(crate) artifact: Option<Hash>,
    /// Who gave the last review.
    pub(crate) reviewed_by: Option<ModelId>,
}

/// The outcome of a run whose stages ended so.
pub(super) fn outcome(review: Option<&ReviewDone>, tasks: Option<&TaskDone>) -> RunFinished {
    let blocked = match (review, tasks) {
        (Some(ReviewDone::Blocked { code, reason }), Some(tasks)) => {
            let besides = tasks.blocked.as_ref().map(|blocked| &blocked.reason);
            let besides = besides.map_or_else(String::new, |besides| format!("; {besides}"));
            Some((*code, format!("{reason}{besides}")))
        }
        (Some(ReviewDone::Blocked { code, reason }), None) => Some((*code, reason.clone())),
        (_, Some(tasks)) => tasks
            .blocked
            .as_ref()
            .map(|blocked| (blocked.code, blocked.reason.clone())),
        _ => None,
    };
    let outcome = match (&blocked, review, tasks) {
        (Some((code, _)), _, _) => code.outcome(),
        (None, None, tasks) if tasks.is_none_or(|done| done.tasks.is_empty()) => Outcome::Nothing,
        (None, Some(ReviewDone::Approved { .. }), _) => Outcome::Approved,
        (None, _, _) => Outcome::Passed,
    };
    let (block_code, block_reason) = blocked.unzip();
    RunFinished {
        outcome,
        block_code,
        block_reason: block_reason.unwrap_or_default(),
    }
}

/// Whether a run that ended so did all that it was asked for.
pub(super) fn has_passed(finished: &RunFinished) -> bool {
    matches!(finished.outcome, Outcome::Passed | Outcome::Approved)
}
