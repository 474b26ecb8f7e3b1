//! The stored results of learning.

mod entries;
mod folder;
mod journal;
mod lessons;
mod performance;
mod prompts;

pub(crate) use folder::agent_folder;

pub use entries::FeedbackStore;
pub use folder::{AgentLock, BadFile, LearningFileError};
pub use journal::LearningJournal;
pub use lessons::{LessonFiles, Lessons};
pub use performance::PerformanceFiles;
pub use prompts::PromptFiles;
