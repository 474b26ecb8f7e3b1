//! The tasks of a unit: run in the order of their dependencies, proven by their
//! commands, remembered by records.
//!
//! ```text
//!   Unit ─► TaskPlan ─► TaskMachine ── backpressure-7 ─► TaskExecutor
//!                            ▲                            │ record? ─► cached
//!                            │                            └ shell ─► counted, logged
//!                            └──────── Ran { … } ─────────┘
//! ```
//!
//! [`TaskMachine`] decides and knows no file or clock; [`TaskExecutor`] acts.
//! A task is done when its command passed on this tree, and a command that ran
//! no test has not passed, nor has one that named its tests and not every test that
//! the task lists: [`runners`] reads them from what it printed.
//! A [`review_store::TaskRecord`] spares a command whose task file and tree are those of a
//! run that passed. [`gate`] decides which claims of completion records prove
//! and which must be run again.
//!
//! What a command means is not looked at here, and nobody works on a task that
//! fails: its end is told, and what waits for it is skipped.

mod execute;
pub mod gate;
mod machine;
mod must_pass;
pub mod runners;

pub use execute::{DEFAULT_TIMEOUT, Shell, TaskContext, TaskExecutor, run_check};
pub use machine::{
    Blocked, CommandFailure, FailureCause, PlanFault, PlannedTask, Ran, TaskChanges, TaskDone,
    TaskMachine, TaskNotice, TaskOp, TaskOptions, TaskOut, TaskOutcome, TaskPlan,
};
