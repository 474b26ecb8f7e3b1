//! What runs show of the versions of prompts: averages, the comparison of two versions,
//! and the watch over the version in use.

mod compare;
mod evidence;
mod observation;
mod performance;
mod rate;
mod regression;
mod significance;
mod stats;

pub use compare::{Comparison, Difference, Outcome, SAMPLE_SIZE, compare};
pub use evidence::{Evidence, Observed};
pub use observation::{Averages, Observation, helped};
pub use performance::{Performance, PerformanceError};
pub use rate::Rate;
pub use regression::{MIN_RUNS, RegressionCheck};
pub use stats::{AgentStats, Stats, VersionStats};
