//! Whether an agent writes to the user's checkout, where no sandbox keeps it from that.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};

use review_flow::Stop;
use review_lane::{Lane, Place, UserState, named};

use super::{LaneExecutor, stopped};

/// The user's checkout while an agent works; nothing in a sandbox.
pub(super) struct Watched<'a> {
    executor: &'a LaneExecutor<'a>,
    lane: &'a Lane,
    checkout: PathBuf,
    before: Option<UserState>,
}

impl<'a> LaneExecutor<'a> {
    /// Looks at the user's checkout before an agent works.
    pub(super) async fn watch(
        &'a self,
        lane: &'a Lane,
        place: &Place,
    ) -> Result<Watched<'a>, Stop> {
        let before = match self.in_force().await?.is_any() {
            true => None,
            false => Some(lane.look_at_user().await.map_err(stopped)?),
        };
        self.agents().insert(place.top.clone());
        Ok(Watched {
            executor: self,
            lane,
            checkout: place.top.clone(),
            before,
        })
    }

    fn agents(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched<'_> {
    /// Compares the user's checkout with what it was.
    pub(super) async fn seen(&self) -> Result<Seen, Stop> {
        let Some(before) = &self.before else {
            return Ok(Seen::Nothing);
        };
        let now = self.lane.look_at_user().await.map_err(stopped)?;
        let changes = now.since(before);
        if changes.is_empty() {
            return Ok(Seen::Nothing);
        }
        let checkouts: Vec<_> = self.executor.agents().iter().cloned().collect();
        let leaked = self.lane.leaked(&changes, &checkouts).await;
        let leaked = leaked.map_err(stopped)?;
        if !leaked.is_empty() {
            return Ok(Seen::Leak(format!(
                "an agent wrote to your checkout, outside of its own: {}",
                named(&Vec::from_iter(leaked))
            )));
        }
        let parts = changes.repository.iter().map(PathBuf::from);
        let what = named(&changes.paths.into_iter().chain(parts).collect::<Vec<_>>());
        let what = format!("while an agent worked, these changed in your checkout: {what}");
        tracing::warn!("checkout_changed: {what}");
        Ok(Seen::Change(what))
    }
}

/// The changes of the user's checkout while an agent worked.
pub(super) enum Seen {
    Nothing,
    /// Others changed it, as the user may have.
    Change(String),
    /// An agent wrote to it.
    Leak(String),
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.executor.agents().remove(&self.checkout);
    }
}
