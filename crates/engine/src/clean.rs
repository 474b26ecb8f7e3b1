//! Which runs are of no use any more.

use std::collections::BTreeMap;
use std::ffi::OsString;

use review_store::{LaneDir, RunDir};
use review_types::{Outcome, Timestamp};

use crate::id::time_of;
use crate::lane;
use crate::run::{Replay, replay};
use crate::settings::Purpose;

/// What a run is still good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunUse {
    /// To be read, no more.
    Past,
    /// A resume goes on with it.
    Resumable,
    /// A process is executing it.
    Live,
}

/// A run with all that decides whether it may be removed.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// Its folder.
    pub dir: RunDir,
    /// When it was started; `None` where neither its journal nor its id says.
    pub at: Option<Timestamp>,
    /// The spec or path under review; empty where its journal cannot be read.
    pub spec: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// What it is still good for.
    pub good_for: RunUse,
    /// Where its agents worked, if they implemented tasks.
    pub lane: Option<LaneDir>,
}

impl StoredRun {
    /// Reads the run in `dir`. One whose journal cannot be read cannot be resumed.
    pub async fn of(dir: RunDir, env: &BTreeMap<OsString, OsString>) -> Self {
        let replayed = replay(&dir).await;
        let is_live = dir.is_live();
        match replayed {
            Ok(replayed) => Self {
                at: Some(replayed.record.at),
                spec: replayed.settings.target.spec().to_owned(),
                outcome: replayed.outcome().unwrap_or(Outcome::Interrupted),
                good_for: use_of(&replayed, is_live),
                lane: lane::of_run(&replayed, env),
                dir,
            },
            Err(_) => Self {
                at: time_of(dir.id()),
                spec: String::new(),
                outcome: Outcome::Error,
                good_for: if is_live { RunUse::Live } else { RunUse::Past },
                lane: None,
                dir,
            },
        }
    }
}

fn use_of(replayed: &Replay, is_live: bool) -> RunUse {
    let settings = &replayed.settings;
    if is_live {
        return RunUse::Live;
    }
    match replayed.outcome() {
        // A gate never resumes a run: it makes another one.
        _ if settings.purpose == Purpose::Gate => RunUse::Past,
        // Its work would be lost.
        Some(_) if !replayed.on_lane().is_empty() => RunUse::Resumable,
        Some(Outcome::Passed | Outcome::Approved | Outcome::Nothing) => RunUse::Past,
        // A review that applies nothing has had its only round.
        Some(_) if !settings.apply => RunUse::Past,
        Some(
            Outcome::NotPassed
            | Outcome::NoVerdict
            | Outcome::Limit
            | Outcome::Tampered
            | Outcome::Interrupted
            | Outcome::Error,
        )
        | None => RunUse::Resumable,
    }
}
