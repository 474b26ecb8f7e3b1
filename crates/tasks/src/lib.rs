//! The task graph of a unit: run in order, proven by commands, remembered by
//! records.

mod machine;
pub mod runners;

pub use machine::{
    Blocked, CommandFailure, FailureCause, PlanFault, PlannedTask, Ran, TaskChanges, TaskDone,
    TaskMachine, TaskNotice, TaskOp, TaskOptions, TaskOut, TaskOutcome, TaskPlan,
};
