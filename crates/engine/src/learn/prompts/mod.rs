//! The prompts of agents: which version is in use, and how lessons change it.

mod change;
mod client;
mod log;
mod versions;

use std::path::Path;

use review_events::AgentRole;
use review_learning::config::LearningConfig;
use review_learning::lesson::{Decision, Lesson};
use review_store::{LessonFiles, PerformanceFiles, PromptFiles, Root};
use review_types::Timestamp;

use super::{LearnError, LearnNotice, Notices, open_root};

pub use change::{Chooser, Switched, Target, Updated};
pub use client::ClientLessons;
pub use log::{Operators, PromptLog};
pub use versions::{active_prompts, role};

/// The prompts and lessons of a root.
#[derive(Debug)]
pub struct Evolution<'a> {
    root: Root,
    config: &'a LearningConfig,
    now: Timestamp,
}

impl<'a> Evolution<'a> {
    /// Those of the folder `root`.
    ///
    /// # Errors
    /// When it is not a folder.
    pub fn new(
        root: &Path,
        config: &'a LearningConfig,
        now: Timestamp,
    ) -> Result<Self, LearnError> {
        let root = open_root(root)?;
        Ok(Self { root, config, now })
    }

    /// The configuration of learning.
    pub const fn config(&self) -> &'a LearningConfig {
        self.config
    }

    /// The agents that have a prompt: the roles, and others with versions.
    ///
    /// # Errors
    /// When the folder of versions cannot be read.
    pub fn agents(&self) -> Result<Vec<String>, LearnError> {
        let mut names = AgentRole::WORDS
            .iter()
            .map(|role| (*role).to_owned())
            .collect::<Vec<_>>();
        let others = self.prompts()?.agents()?;
        names.extend(others.into_iter().filter(|name| role(name).is_none()));
        Ok(names)
    }

    /// The files of versions.
    ///
    /// # Errors
    /// When their folder leads out of the root.
    pub fn prompts(&self) -> Result<PromptFiles<'_>, LearnError> {
        Ok(PromptFiles::new(&self.root, &self.config.prompt_evolution)?)
    }

    pub(super) fn lesson_files(&self) -> Result<LessonFiles, LearnError> {
        Ok(LessonFiles::new(&self.root)?)
    }

    /// The files of what runs showed of versions.
    ///
    /// # Errors
    /// When their folder leads out of the root.
    pub(super) fn performances(&self) -> Result<PerformanceFiles, LearnError> {
        let storage = &self.config.prompt_evolution.storage_path;
        Ok(PerformanceFiles::new(&self.root, storage)?)
    }

    /// Returns all lessons, those of one agent where it is named; files that hold
    /// none are reported.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn lessons(
        &self,
        agent: Option<&str>,
        notices: &mut Notices<'_>,
    ) -> Result<Vec<Lesson>, LearnError> {
        let files = self.lesson_files()?;
        let found = match agent {
            Some(agent) => files.of(agent),
            None => files.all(),
        };
        let found = found?;
        for bad in found.bad {
            notices(LearnNotice::LessonLeftOut(bad));
        }
        Ok(found.lessons)
    }

    /// Keeps a decision on a lesson as it is now: another process may have decided on it.
    ///
    /// # Errors
    /// When it cannot be decided so any more, or its file cannot be read or written.
    pub(in crate::learn) fn decided(
        &self,
        lesson: &Lesson,
        decision: Decision,
        by: &str,
    ) -> Result<Lesson, LearnError> {
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
    pub fn put(&self, lesson: &Lesson) -> Result<(), LearnError> {
        let files = self.lesson_files()?;
        let lock = files.lock(&lesson.agent)?;
        Ok(files.put(&lock, lesson)?)
    }
}
