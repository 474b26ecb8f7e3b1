//! What a version of a prompt is worth, measured: the exact tests that compare
//! two versions, the sign-flip test of pairs and Fisher's test of unpaired rates,
//! and the e-process that watches a new version run by run.
//!
//! Samples are small by design: a comparison looks at
//! [`SAMPLE_SIZE`] runs of each version at most.

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
pub use guard::{Guard, Metric, Standing};
pub use observation::{Averages, Observation};
pub use performance::{Performance, PerformanceError};
pub use rate::Rate;
pub use stats::{AgentStats, AutomaticRollback, Stats, VersionStats};

#[cfg(test)]
use estimate::Draws;
use sign_flip::sign_flip;

/// How many runs of each version a comparison looks at.
pub const SAMPLE_SIZE: usize = 20;
