//! What the gate found.

mod github;
mod human;
mod json;
mod junit;
mod next;
mod report;

pub use github::github;
pub use human::human;
pub use json::json;
pub use junit::junit;
pub use report::{Claim, ClaimStatus, GateReport, SpecGate};
