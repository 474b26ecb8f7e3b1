//! The tasks of a unit: run in the order of their dependencies, proved by their
//! commands, and recorded.
//!
//! ```text
//!   Unit ─► TaskPlan ─► TaskMachine ── backpressure-7 ─► TaskExecutor
//!                            ▲                            │ record? ─► cached
//!                            │                            └ shell ─► counted, logged
//!                            └──────── Ran { … } ─────────┘
//! ```
//!
//! [`TaskMachine`] decides and uses no file or clock; [`TaskExecutor`] acts.
//! A task is done when its command passed on this tree. A command that ran no test
//! has not passed, nor has one that named its tests but not every test that the
//! task lists: `runners` parses them from its output.
//! A [`review_store::TaskRecord`] of a passed run with the same task file and tree
//! saves running the command again. [`gate`] decides which claims of completion are
//! proved by records and which must be run again.
//!
//! This crate does not interpret commands, and it does not fix a task that fails: it
//! reports the failure and skips the tasks that depend on it.

mod execute;
pub mod gate;
mod machine;
mod must_pass;
mod runners;

pub use execute::{
    DEFAULT_TIMEOUT, Shell, TaskContext, TaskExecutor, run_check, run_command, run_setup,
};
pub use machine::{
    AgentClaim, ApprovedTask, AwayStep, Blocked, CHANGE_FILE, Change, CommandFailure, FailureCause,
    GateCommand, GateKind, LandCode, LaneOp, LaneOptions, LaneOut, MergedTrees, PlannedTask, Ran,
    RanTests, ReadyTask, RejectedAttempt, Reviewed, RunnerChange, SelectionError, SnapshotFault,
    SomeTests, TaskChanges, TaskDone, TaskMachine, TaskNotice, TaskOp, TaskOptions, TaskOut,
    TaskOutcome, TaskPlan, TaskSelection, Worked,
};
