//! What the gate found.

mod change;
mod github;
mod human;
mod json;
mod junit;
mod log;
mod markdown;
mod next;
mod note;
mod report;
mod sarif;

pub use change::{BaseComparison, Change, ChangeLevel};
pub use github::github;
pub use human::{brief, human};
pub use json::json;
pub use junit::junit;
pub use log::GateLog;
pub use markdown::markdown;
pub use report::{Claim, ClaimStatus, GateReport, SpecGate};
pub use sarif::{gitlab, sarif};
