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

/// The place without enough space for more work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowded {
    Checkouts,
    Project,
    State,
}

impl Crowded {
    /// The place that has no room, if one has none.
    fn find(lane: &LaneDir, project: &Project<'_>) -> Result<Option<Self>, FileError> {
        let [root, state] =
            [project.root.path(), project.state.path()].map(|path| LaneDir::at(path.to_owned()));
        for (folder, place) in [
            (lane, Self::Checkouts),
            (&root, Self::Project),
            (&state, Self::State),
        ] {
            if folder.free_space()? < FLOOR {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn reason(self) -> String {
        let place = match self {
            Self::Checkouts => "the checkouts are",
            Self::Project => "the project is",
            Self::State => "the state folder is",
        };
        format!("less than 500 MiB is free where {place}")
    }
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
    match Crowded::find(&lane, project)? {
        None => Ok(()),
        Some(place) => Err(EngineError::hinted(
            place.reason(),
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
    /// The end of a run without room for more work.
    pub(super) fn no_room(&self, crowded: Crowded) -> LaneOut {
        LaneOut::Blocked {
            code: BlockCode::DiskFloor,
            reason: crowded.reason(),
        }
    }

    /// Waits until there is room for more work; the place without room when nothing runs
    /// that could make some.
    pub(super) async fn room(&self) -> Result<Result<RunningWork<'_>, Crowded>, Stop> {
        let mut running = self.running.0.subscribe();
        loop {
            let count = *running.borrow_and_update();
            let crowded = Crowded::find(&self.folder()?, self.run.project).map_err(halted)?;
            let Some(crowded) = crowded else {
                return Ok(Ok(self.running.start()));
            };
            if count == 0 {
                return Ok(Err(crowded));
            }
            tracing::warn!("{}: new work waits for what runs", crowded.reason());
            if running.changed().await.is_err() {
                return Ok(Err(crowded));
            }
        }
    }
}
