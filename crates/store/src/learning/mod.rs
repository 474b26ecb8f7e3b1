//! What is learned from runs.

mod agent;
mod journal;
mod performance;

use agent::agent_folder;

pub use journal::LearningJournal;
pub use performance::{PerformanceFileError, PerformanceFiles};
