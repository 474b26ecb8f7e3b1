//! Whether there is room for more work on the disk of the checkouts.

use review_flow::Stop;
use review_store::{FileError, LaneDir};
use review_tasks::LaneOut;
use review_types::{BlockCode, RunId};
use tokio::sync::watch;

use super::{LaneExecutor, open};
use crate::error::{EngineError, halted};
use crate::project::Project;
use crate::settings::RunSettings;

/// The bytes that must be free where the checkouts, the project and the state folder are.
const FLOOR: u64 = 500 << 20;

/// Why there is no room for more work, if there is none.
fn crowded(lane: &LaneDir, project: &Project<'_>) -> Result<Option<String>, FileError> {
    let [root, state] =
        [project.root.path(), project.state.path()].map(|path| LaneDir::at(path.to_owned()));
    for (folder, place) in [
        (lane, "the checkouts are"),
        (&root, "the project is"),
        (&state, "the state folder is"),
    ] {
        if folder.free_space()? < FLOOR {
            return Ok(Some(format!("less than 500 MiB is free where {place}")));
        }
    }
    Ok(None)
}

/// Refuses a run of agents without room for their work, before anything is paid for.
///
/// # Errors
/// [`EngineError::Refused`] with the place.
pub(crate) fn refuse_without_room(
    project: &Project<'_>,
    settings: &RunSettings,
    run: &RunId,
) -> Result<(), EngineError> {
    if settings.implementer().is_none() {
        return Ok(());
    }
    let lane = open::folder(project.root.path(), &project.env, run)?;
    match crowded(&lane, project)? {
        None => Ok(()),
        Some(reason) => Err(EngineError::hinted(
            reason,
            "free some space, such as with `ralph clean`",
        )),
    }
}

/// The work that runs, and frees space when it ends.
#[derive(Debug)]
pub(super) struct Running(watch::Sender<usize>);

impl Default for Running {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// Work that runs as long as this value lives.
pub(super) struct RunningWork<'a>(&'a Running);

impl Running {
    pub(super) fn start(&self) -> RunningWork<'_> {
        self.0.send_modify(|count| *count += 1);
        RunningWork(self)
    }
}

impl Drop for RunningWork<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl LaneExecutor<'_> {
    /// Waits until there is room for more work; the end of the run when nothing runs that
    /// could make some.
    pub(super) async fn room(&self) -> Result<Result<RunningWork<'_>, LaneOut>, Stop> {
        let mut running = self.running.0.subscribe();
        loop {
            let count = *running.borrow_and_update();
            let crowded = crowded(&self.folder()?, self.run.project).map_err(halted)?;
            let Some(reason) = crowded else {
                return Ok(Ok(self.running.start()));
            };
            if count > 0 {
                tracing::warn!("{reason}: new work waits for what runs");
            }
            if count == 0 || running.changed().await.is_err() {
                let code = BlockCode::DiskFloor;
                return Ok(Err(LaneOut::Blocked { code, reason }));
            }
        }
    }
}
