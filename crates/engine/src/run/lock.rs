//! The lock of a target.

use review_process::{GroupId, Stale, end_stale_group};
use review_store::{Lock, StateDir};
use review_types::RunId;

use crate::error::EngineError;
use crate::project::Project;
use crate::settings::Target;

/// Takes the lock of the target, and ends what a run that was killed has left
/// running.
pub(super) fn lock(
    project: &Project<'_>,
    target: &Target,
    run: &RunId,
) -> Result<Lock, EngineError> {
    let path = project.root.path().join(target.lock_path());
    let lock = Lock::acquire(&project.state, &path, run)
        .map_err(|error| EngineError::of_lock(error, project.parent_run()))?;
    if let Some(left) = lock.left_by() {
        end_left_over(&project.state, &left.run);
    }
    Ok(lock)
}

fn end_left_over(state: &StateDir, run: &RunId) {
    let Ok(dir) = state.find_run(run.as_str(), state.path()) else {
        return;
    };
    let group = dir.child().read().ok().flatten();
    if let Some(Ok(group)) = group.map(|group| group.parse::<GroupId>())
        && end_stale_group(group) == Stale::Ended
    {
        tracing::warn!("ended process group {group}, which run {run} had left behind");
    }
}
