//! Private checkouts for tasks, and how their changes reach the user's branch.
//!
//! ```text
//!   user's repository ── clone ──► lane.git ── files ──► checkout of a task ─► agent
//!        ▲                           │ ▲                        │
//!        │                     merge │ └────── snapshot ────────┘
//!        │                           ▼
//!        └──────── land ◄────── refs/ralph/lane ◄── advance ◄── gate in `verify`
//! ```
//!
//! A run owns a bare repository outside of the user's checkout ([`Lane`]). Agents get
//! folders with files and a git folder of their own, which ralph never reads: the files
//! are what they did. The user's repository is written in one step, [`Lane::land`].
//! A call that was cut off can be made again and has the same result.
//!
//! This crate runs git and nothing else, and decides nothing about tasks.

mod accounting;
mod advance;
mod carry;
mod change;
mod checkout;
mod error;
mod exchange;
mod git;
mod hidden;
mod include;
mod known;
mod land;
mod lane;
mod lfs;
mod merge;
mod object;
mod open;
mod options;
mod resolution;
mod sign;
mod snapshot;
mod source;
mod undo;
mod verify;
mod watch;

pub use accounting::{AccountCode, AccountEntry};
pub use carry::Carried;
pub use change::ChangedPath;
pub use checkout::{Place, Reused};
pub use error::{LaneError, Refusal};
pub use git::{Git, GitError, passes};
pub use land::{CheckedOut, NotLanded, land_in, named};
pub use lane::Lane;
pub use merge::{Merge, MergedTree};
pub use object::{CommitId, ObjectNameError, TreeId};
pub use open::{NewLane, Uncommitted};
pub use options::{ChangeReview, Dirty, LandMode, Pick, SandboxMode, TestsPolicy};
pub use review_types::LandCode;
pub use snapshot::{ChangeFault, Opens, Snapshot, SnapshotOf};
pub use source::{Source, refuse_without_merges};
pub use verify::{BUILD, Built, Prepared};
pub use watch::{UserChanges, UserState};
