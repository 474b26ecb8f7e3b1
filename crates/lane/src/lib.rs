//! Private checkouts for tasks, and how their changes reach the user's branch.

mod object;
mod options;

pub use object::{CommitId, ObjectNameError, TreeId};
pub use options::{Dirty, LandMode};

use serde::{Deserialize, Serialize};

/// Why finished work is on the lane and not on the target branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandCode {
    /// Landing was not asked for.
    Never,
    /// The target moved while the work was being landed.
    TargetMoved,
    /// Another git process holds a lock.
    TargetBusy,
    /// The target is checked out in another folder.
    TargetElsewhere,
    /// A file that git does not track is where a file of the work goes.
    InTheWay,
    /// A file of the work has changes that are not committed.
    DirtyOverlap,
    /// The work does not fit the target as it is now.
    Conflict,
}
