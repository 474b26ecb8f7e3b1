//! Comparison of prompt versions: the exact tests for two versions (the sign-flip test
//! for pairs and Fisher's test for unpaired rates), and the e-process that watches a
//! new version run by run.
//!
//! Samples are small by design: a comparison uses at most [`SAMPLE_SIZE`] runs of each
//! version.

mod compare;
mod e_process;
mod estimate;
mod evidence;
mod guard;
mod observation;
mod performance;
mod rate;
mod sign_flip;
#[cfg(test)]
mod simulations;
mod stats;

pub use compare::{Comparison, LEVEL_OF_A_LOOK, LOOKS, Look, Outcome, Quality, Reason, compare};
pub use e_process::{ALPHA, HORIZON, MIN_BASELINE, MIN_RUNS, Watch, baseline_rate, watch};
pub use estimate::Interval;
pub use evidence::{Evidence, Observed};
pub use guard::{Guard, GuardStatus, Metric};
pub use observation::{Averages, Observation};
pub use performance::{Performance, PerformanceError};
pub use rate::Rate;
pub use stats::{AgentStats, AutomaticRollback, Stats, VersionStats};

#[cfg(test)]
use estimate::Draws;
use sign_flip::sign_flip;

/// The maximum number of runs of each version in a comparison.
pub const SAMPLE_SIZE: usize = 20;
