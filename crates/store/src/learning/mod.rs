//! The stored results of learning.

mod clusters;
mod entries;
mod folder;
mod journal;
mod lessons;
mod performance;
mod prompts;

pub(crate) use folder::agent_folder;

pub use clusters::{ClusterFileError, ClusterFiles};
pub use entries::{BadEntry, FeedbackStore};
pub use journal::LearningJournal;
pub use lessons::{BadLesson, LessonFiles, LessonLock, Lessons};
pub use performance::{PerformanceFileError, PerformanceFiles};
pub use prompts::{PromptFileError, PromptFiles, PromptLock};
