//! The files of a root in which something is learned.

use std::path::Path;

use review_events::AgentRole;
use review_learning::AgentName;
use review_learning::config::LearningConfig;
use review_learning::lesson::{Decision, Lesson};
use review_store::{FeedbackStore, LessonFiles, PerformanceFiles, PromptFiles, Root};
use review_types::Timestamp;

use super::role;
use crate::error::EngineError;

/// What is learned in a root: its feedback, the lessons of it, and the prompts that follow
/// them.
#[derive(Debug)]
pub struct Learner<'a> {
    pub(super) root: Root,
    /// The configuration of learning.
    pub config: &'a LearningConfig,
    /// The time.
    pub now: Timestamp,
}

impl<'a> Learner<'a> {
    /// That of the folder `root`.
    ///
    /// # Errors
    /// When it is not a folder.
    pub fn new(
        root: &Path,
        config: &'a LearningConfig,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let root = Root::open(root)?;
        Ok(Self { root, config, now })
    }

    /// The agents that have a prompt: the roles, and others with versions.
    ///
    /// # Errors
    /// When the folder of versions cannot be read.
    pub fn agents(&self) -> Result<Vec<AgentName>, EngineError> {
        let mut names = AgentRole::ALL
            .iter()
            .map(|role| AgentName::from(*role))
            .collect::<Vec<_>>();
        let others = self.prompts()?.agents()?;
        names.extend(others.into_iter().filter(|name| role(name).is_none()));
        Ok(names)
    }

    /// The feedback that is kept.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn feedback(&self) -> Result<FeedbackStore, EngineError> {
        let storage = &self.config.feedback_collection.storage_path;
        Ok(FeedbackStore::open(&self.root, storage)?)
    }

    /// The files of versions.
    ///
    /// # Errors
    /// When their folder leads out of the root.
    pub fn prompts(&self) -> Result<PromptFiles<'_>, EngineError> {
        Ok(PromptFiles::new(&self.root, &self.config.prompt_evolution)?)
    }

    pub(super) fn lesson_files(&self) -> Result<LessonFiles, EngineError> {
        Ok(LessonFiles::new(&self.root)?)
    }

    /// The files of what runs showed of versions.
    ///
    /// # Errors
    /// When their folder leads out of the root.
    pub(super) fn performances(&self) -> Result<PerformanceFiles, EngineError> {
        let storage = &self.config.prompt_evolution.storage_path;
        Ok(PerformanceFiles::new(&self.root, storage)?)
    }

    /// Returns all lessons, those of one agent where it is named; warns of files that
    /// hold none.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn lessons(&self, agent: Option<&AgentName>) -> Result<Vec<Lesson>, EngineError> {
        let files = self.lesson_files()?;
        let found = match agent {
            Some(agent) => files.of(agent),
            None => files.all(),
        };
        let found = found?;
        for bad in found.bad {
            tracing::warn!("{} is left out: {}", bad.path, bad.message);
        }
        Ok(found.lessons)
    }

    /// Keeps a decision on a lesson as it is now: another process may have decided on it.
    ///
    /// # Errors
    /// When it cannot be decided so any more, or its file cannot be read or written.
    pub(super) fn decided(
        &self,
        lesson: &Lesson,
        decision: Decision,
        by: &str,
    ) -> Result<Lesson, EngineError> {
        let files = self.lesson_files()?;
        let lock = files.lock(&lesson.agent)?;
        let lessons = files.of(&lesson.agent)?.lessons;
        let now = lessons.iter().find(|now| now.id == lesson.id);
        let decided = now.unwrap_or(lesson).decided(decision, by)?;
        files.put(&lock, &decided)?;
        Ok(decided)
    }

    /// Keeps a lesson.
    ///
    /// # Errors
    /// When its file cannot be written.
    pub fn put(&self, lesson: &Lesson) -> Result<(), EngineError> {
        let files = self.lesson_files()?;
        let lock = files.lock(&lesson.agent)?;
        Ok(files.put(&lock, lesson)?)
    }
}
