//! What a version of a prompt is worth, measured: the tests that compare two
//! versions, and the one that watches a new version run by run.
//!
//! Everything here is exact where a count can be exact, and says so where it is
//! not. Samples are small by design: a comparison looks at
//! [`SAMPLE_SIZE`] runs of each version at most.

mod binomial;
mod bootstrap;
mod boschloo;
mod compare;
mod draws;
mod e_process;
mod evidence;
mod guard;
mod holm;
mod mcnemar;
mod observation;
mod performance;
mod rank_sum;
mod shift;
mod sign_flip;
#[cfg(test)]
mod simulations;
mod spread;
mod stats;

pub use bootstrap::Interval;
pub use boschloo::Rate;
pub use compare::{Comparison, LEVEL_OF_A_LOOK, LOOKS, Look, Outcome, Quality, Reason, compare};
pub use e_process::{ALPHA, HORIZON, MIN_BASELINE, MIN_RUNS, Watch, baseline_rate, watch};
pub use evidence::{Evidence, Observed};
pub use guard::{Guard, Metric, Standing};
pub use observation::{Averages, Observation};
pub use performance::{Performance, PerformanceError};
pub use stats::{AgentStats, AutomaticRollback, Stats, VersionStats};

use bootstrap::interval;
use boschloo::boschloo;
use draws::Draws;
use holm::holm;
use mcnemar::mcnemar;
use rank_sum::rank_sum;
use shift::{paired_shift, unpaired_shift};
use sign_flip::sign_flip;

/// How many runs of each version a comparison looks at.
pub const SAMPLE_SIZE: usize = 20;

/// Compares the probabilities of two outcomes up to the noise of their sums.
fn at_most(left: f64, right: f64) -> bool {
    left <= right * (1.0 + 1e-9)
}
