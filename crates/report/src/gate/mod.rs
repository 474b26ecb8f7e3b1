//! What the gate found.

mod change;
mod human;
mod junit;
mod log;
mod markdown;
mod next;
mod problems;
mod report;
mod rows;

pub use change::{BaseComparison, Change, ChangeLevel};
pub use human::{brief, human};
pub use junit::junit;
pub use log::GateLog;
pub use markdown::markdown;
pub use problems::{github, gitlab, sarif};
pub use report::{Claim, ClaimStatus, GateReport, SpecGate};
pub(crate) use rows::Row;
