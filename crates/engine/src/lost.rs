//! Runs whose journals are lost, while what their agents made is still there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use review_lane::{CommitId, Lane, LaneError, NotLanded};
use review_store::{LaneDir, StateDir};
use review_types::{RunId, Timestamp};

use crate::error::EngineError;
use crate::id::time_of;
use crate::lane;
use crate::project::Project;
use crate::run::is_readable;

/// A run whose journal is lost.
#[derive(Clone, Debug)]
pub struct LostRun {
    /// Its id.
    pub run: RunId,
    /// The root of its project.
    pub root: PathBuf,
    /// Whether its folder is there, with a journal that cannot be read.
    pub has_folder: bool,
    /// When it was started; `None` where its id does not say.
    pub at: Option<Timestamp>,
    /// Where its agents worked.
    pub lane: LaneDir,
}

/// Where the finished work of a lost run is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescued {
    /// The branch.
    pub branch: String,
    /// Its commit.
    pub commit: CommitId,
}

impl LostRun {
    /// Finds the lanes of a root that no run in `state` has whose journal can be read.
    #[must_use]
    pub fn of_root(root: &Path, state: &StateDir, env: &BTreeMap<OsString, OsString>) -> Vec<Self> {
        let lanes = lane::of_root(root, state.path(), env);
        // Nothing is known to be lost where the runs are not.
        let Ok(runs) = state.runs() else {
            return Vec::new();
        };
        let lost = lanes.into_iter().filter_map(|(run, lane)| {
            let dir = runs.iter().find(|dir| *dir.id() == run);
            let is_readable = dir.is_some_and(is_readable);
            (!is_readable).then(|| Self {
                at: time_of(&run),
                root: root.to_owned(),
                has_folder: dir.is_some(),
                run,
                lane,
            })
        });
        lost.collect()
    }

    /// Brings what its agents finished to a branch that is checked out nowhere, or does not
    /// exist, without running any command; `None` if nothing was finished.
    ///
    /// # Errors
    /// [`EngineError`] when its lane cannot be used.
    pub async fn rescue(
        &self,
        project: &Project<'_>,
        branch: Option<&str>,
    ) -> Result<Option<Result<Rescued, NotLanded>>, EngineError> {
        let lane = Lane::reopen(lane::git(project), self.lane.clone())?;
        let lane = lane.ok_or_else(|| LaneError::Gone(self.lane.path().to_owned()))?;
        let Some(commit) = lane.finished().await? else {
            return Ok(None);
        };
        let branch = branch.map_or_else(|| format!("ralph/{}", self.run), str::to_owned);
        let landed = lane.land_on(&branch, &commit).await?;
        Ok(Some(landed.map(|()| Rescued { branch, commit })))
    }
}
