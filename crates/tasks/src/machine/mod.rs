//! The task graph as a pure machine.
//!
//! ```text
//! Start ─► lowest ready task ─► backpressure ─► status, if it is another ─┐
//!            ▲      │                                                    │
//!            │      └─ none left ───────────────────────────────► Done   │
//!            └────────────────────────────────────────────────────────────┘
//! ```
//!
//! With a lane, agents implement the tasks whose commands do not pass, each in a private
//! checkout; a change is accepted when the command of its task passes on the merged
//! tree, and the work of all tasks is landed at the end:
//!
//! ```text
//! open ─► passes before? ─► checkout ─► agent ─► snapshot ─► merge ─► gate ─► advance
//!                              ▲                    │          │        │        │
//!                              └── rejected ◄───────┴──────────┴────────┘        ▼
//!                                                             carry ─► gates ─► land
//! ```
//!
//! Between gate and advance the change is reviewed, where that is asked for.
//!
//! A task is decided once: it passed, it failed in one of several ways, or it
//! is skipped because a dependency did not pass. Tasks that were not started are
//! not run.

mod decide;
mod done;
mod ending;
mod implement;
mod lane;
mod notice;
mod op;
mod plan;
mod queue;
mod ran_tests;
mod selection;

pub use decide::{TaskMachine, TaskOptions};
pub use done::{Blocked, TaskDone, TaskOutcome};
pub use implement::CHANGE_FILE;
pub use lane::{
    AgentClaim, AwayStep, Change, GateCommand, GateKind, LandCode, LaneOp, LaneOptions, LaneOut,
    MergedTrees, ReadyTask, RejectedAttempt, RunnerChange, SnapshotFault, Worked,
};
pub use notice::{Reviewed, TaskNotice};
pub use op::{ApprovedTask, CommandFailure, FailureCause, Ran, TaskChanges, TaskOp, TaskOut};
pub use plan::{PlannedTask, TaskPlan};
pub use ran_tests::{RanTests, SomeTests};
pub use selection::{SelectionError, TaskSelection};

#[cfg(test)]
pub(crate) mod tests;
