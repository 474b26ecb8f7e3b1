//! Whether an agent writes to the user's checkout, where no sandbox keeps it from that.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{MutexGuard, PoisonError};

use review_flow::Stop;
use review_lane::{Lane, Place, UserState};

use super::{LaneExecutor, shown, stopped};

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
    /// Compares the user's checkout with what it was: says which of its files an agent
    /// wrote, and warns of other changes, which the user may have made.
    pub(super) async fn leak(&self) -> Result<Option<String>, Stop> {
        let Some(before) = &self.before else {
            return Ok(None);
        };
        let now = self.lane.look_at_user().await.map_err(stopped)?;
        let changes = now.since(before);
        if changes.is_empty() {
            return Ok(None);
        }
        let checkouts: Vec<_> = self.executor.agents().iter().cloned().collect();
        let leaked = self.lane.leaked(&changes, &checkouts);
        if leaked.is_empty() {
            let mut what = shown(changes.paths.into_iter().collect());
            if changes.repository {
                what.push("branches, settings or hooks".to_owned());
            }
            tracing::warn!(
                "checkout_changed: while an agent worked, these changed in your checkout: {}",
                what.join(", ")
            );
            return Ok(None);
        }
        Ok(Some(format!(
            "an agent wrote to your checkout, outside of its own: {}",
            shown(leaked.into_iter().collect()).join(", ")
        )))
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.executor.agents().remove(&self.checkout);
    }
}
