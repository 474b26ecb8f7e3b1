//! What is learned from runs.

mod agent;
mod clusters;
mod journal;
mod lessons;
mod listing;
mod performance;
mod prompts;

use agent::agent_folder;

pub use clusters::{ClusterFileError, ClusterFiles};
pub use journal::LearningJournal;
pub use lessons::{BadLesson, LessonFiles, Lessons};
pub use performance::{PerformanceFileError, PerformanceFiles};
pub use prompts::{PromptFileError, PromptFiles, PromptLock};
