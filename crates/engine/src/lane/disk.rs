//! Whether there is room for more work on the disk of the checkouts.

use review_flow::Stop;
use review_tasks::LaneOut;
use review_types::BlockCode;
use tokio::sync::watch;

use super::LaneExecutor;
use crate::error::halted;

/// The bytes that must be free where the checkouts are.
const FLOOR: u64 = 500 << 20;

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
    pub(super) fn no_room(&self) -> LaneOut {
        LaneOut::Blocked {
            code: BlockCode::DiskFloor,
            reason: "less than 500 MiB is free where the checkouts are".to_owned(),
        }
    }

    /// Waits until there is room for more work; `None` when nothing runs that could make
    /// some.
    pub(super) async fn room(&self) -> Result<Option<RunningWork<'_>>, Stop> {
        let mut running = self.running.0.subscribe();
        loop {
            let count = *running.borrow_and_update();
            let free = self.folder()?.free_space().map_err(halted)?;
            if free >= FLOOR {
                return Ok(Some(self.running.start()));
            }
            if count == 0 {
                return Ok(None);
            }
            tracing::warn!(
                "less than 500 MiB is free where the checkouts are: new work waits for what runs"
            );
            if running.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}
