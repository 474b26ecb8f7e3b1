//! The task graph of a unit: run in order, proven by commands, remembered by
//! records.

mod execute;
pub mod gate;
mod machine;
mod record;
pub mod runners;

pub use execute::{DEFAULT_TIMEOUT, Shell, TaskContext, TaskExecutor, TaskFiles, TaskLog};
pub use machine::{
    Blocked, CommandFailure, FailureCause, PlanFault, PlannedTask, Ran, TaskChanges, TaskDone,
    TaskMachine, TaskNotice, TaskOp, TaskOptions, TaskOut, TaskOutcome, TaskPlan,
};
pub use record::{RECORD_VERSION, SpecRecord, Subject, TaskRecord};
