//! What is learned from runs.

mod journal;

pub use journal::LearningJournal;
