//! What a user can do after a gate.

use super::report::{Claim, ClaimStatus, SpecGate};
use crate::next::NextStep;
use crate::text::printable;

/// The steps that lead on from a spec that does not pass. `run` is the command line
/// that reviews the spec and runs its tasks.
pub(super) fn steps(spec: &SpecGate, run: String) -> Vec<NextStep> {
    if let Some(fault) = spec.faults.first() {
        return vec![NextStep::by_hand(printable(&format!(
            "fix {}",
            spec.seen(fault)
        )))];
    }
    let first = |status| spec.tasks.iter().find(|claim| claim.status == status);
    let failed = first(ClaimStatus::Failed).map(|claim| redo(spec, claim));
    let commands = spec.status.missing_commands(&run);
    let unclaimed = first(ClaimStatus::Unclaimed);
    let needs_commands = unclaimed.is_some() && commands.is_some();
    let unclaimed = unclaimed.filter(|_| commands.is_none()).map(|claim| {
        spec.status
            .open_task(&run)
            .unwrap_or_else(|| redo(spec, claim))
    });
    let has_open_review = !spec.review.holds();
    let has_open_tasks = first(ClaimStatus::Unproven).is_some()
        || first(ClaimStatus::NoVerdict).is_some()
        || first(ClaimStatus::Skipped).is_some() && failed.is_none() && unclaimed.is_none();
    let text = match (has_open_review, has_open_tasks) {
        (true, true) => "review it and run its tasks",
        (true, false) => "review it",
        (false, _) => "run its tasks",
    };
    let is_open = has_open_review || has_open_tasks || needs_commands;
    let run = is_open.then(|| commands.unwrap_or_else(|| NextStep::by_command(text, run)));
    run.into_iter().chain(failed).chain(unclaimed).collect()
}

/// A task that claims more than its command proves.
fn redo(spec: &SpecGate, claim: &Claim) -> NextStep {
    let status = match &claim.path {
        Some(path) => format!(", or take back the status in {}", spec.seen(path)),
        None => String::new(),
    };
    NextStep::by_hand(printable(&format!("make {} pass{status}", claim.name)))
}
