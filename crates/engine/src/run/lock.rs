//! The lock of a target.

use review_process::{EndedProcesses, GroupId, end_processes_where, end_stale_group};
use review_store::{Lock, RUN_VARIABLE, StateDir};
use review_types::{RunId, plural};

use crate::error::EngineError;
use crate::judging::{NAME_VARIABLE, is_of_run};
use crate::project::Project;
use crate::settings::ReviewTarget;

/// Takes the locks of the target, and ends what a run that was killed has left
/// running.
pub(super) fn lock(
    project: &Project<'_>,
    target: &ReviewTarget,
    run: &RunId,
) -> Result<Vec<Lock>, EngineError> {
    let root = project.root.path();
    if let ReviewTarget::Folder { path } = target
        && !root.join(path).is_dir()
    {
        return Err(EngineError::gone(&root.join(path)));
    }
    let locks = target.lock_paths().map(|path| {
        Lock::acquire(&project.state, &root.join(path), run)
            .map_err(|error| EngineError::of_lock(error, project.parent_run()))
    });
    let locks: Vec<Lock> = locks.collect::<Result<_, _>>()?;
    let mut left: Vec<_> = locks.iter().filter_map(Lock::left_by).collect();
    left.dedup();
    // A run that is resumed by one of its own programs does not end that one.
    left.retain(|holder| project.parent_run() != Some(holder.run.as_str()));
    for holder in left {
        // First, so that a run inside that run can end its own programs.
        end_programs(&holder.run);
        end_groups(&project.state, &holder.run);
    }
    Ok(locks)
}

/// Ends the programs of a run by the variables that they got: also one that the run had
/// no time to record, and one that has left its process group.
fn end_programs(run: &RunId) {
    let is_its = |name: &str, value: &str| match name {
        RUN_VARIABLE => value == run.as_str(),
        NAME_VARIABLE => is_of_run(value, run),
        _ => false,
    };
    let EndedProcesses { ended, dying } = end_processes_where(is_its);
    if ended > 0 {
        let processes = plural(ended, "process", "processes");
        tracing::warn!("ended {processes}, which run {run} had left running");
    }
    if dying > 0 {
        let processes = plural(dying, "process", "processes");
        tracing::warn!("{processes} of run {run} cannot be ended and may still change files");
    }
}

/// Ends the process groups that a run recorded.
fn end_groups(state: &StateDir, run: &RunId) {
    let dir = state.run(run);
    if !dir.path().is_dir() {
        return;
    }
    let children = match dir.child_slot().running() {
        Ok(children) => children,
        Err(error) => {
            tracing::warn!("what run {run} had left running is unknown: {error}");
            return;
        }
    };
    for group in children {
        if let Ok(group) = group.parse::<GroupId>()
            && end_stale_group(group)
        {
            tracing::warn!(
                "ended process group {}, which run {run} had left running",
                group.pgid
            );
        }
    }
    if let Err(error) = dir.child_slot().clear() {
        tracing::warn!("the notes of programs that are over cannot be removed: {error}");
    }
}
