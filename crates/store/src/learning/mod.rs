//! The stored results of learning.

mod entries;
mod folder;
mod journal;
mod lessons;
mod performance;
mod prompts;

pub(crate) use folder::agent_folder;

pub use entries::{BadEntry, FeedbackStore};
pub use folder::{AgentLock, LearningFileError};
pub use journal::LearningJournal;
pub use lessons::{BadLesson, LessonFiles, Lessons};
pub use performance::PerformanceFiles;
pub use prompts::PromptFiles;
