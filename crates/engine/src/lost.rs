//! Runs whose journals are lost, while what their agents made is still there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use review_store::{LaneDir, StateDir};
use review_types::{RunId, Timestamp};

use crate::id::time_of;
use crate::lane;
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

impl LostRun {
    /// Finds the lanes of a root that no run in `state` has whose journal can be read.
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
}
