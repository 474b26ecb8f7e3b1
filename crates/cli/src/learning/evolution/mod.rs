//! The prompts of agents: what is in use, and how lessons change it.

mod change;
mod steps;
mod versions;

use std::path::Path;

use review_learning::config::LearningConfig;
use review_learning::lesson::Lesson;
use review_store::{LessonFiles, PromptFiles, Root};
use review_types::Timestamp;

use crate::context::Context;
use crate::error::{CommandError, ErrorKind};
use crate::learning::{unreadable, unwritable};
use crate::target::open_root;
pub(crate) use change::{RolledBack, Updated};
pub(crate) use steps::Teller;
pub(crate) use versions::{active_prompts, role};

/// The prompts and lessons of a root.
pub(crate) struct Evolution<'a> {
    root: Root,
    config: &'a LearningConfig,
    now: Timestamp,
}

impl<'a> Evolution<'a> {
    /// Those of the folder `root`.
    ///
    /// # Errors
    /// When it is no folder.
    pub(crate) fn new(
        root: &Path,
        config: &'a LearningConfig,
        now: Timestamp,
    ) -> Result<Self, CommandError> {
        let root = open_root(root)?;
        Ok(Self { root, config, now })
    }

    /// The files of versions.
    pub(crate) fn prompts(&self) -> Result<PromptFiles<'_>, CommandError> {
        PromptFiles::new(&self.root, &self.config.prompt_evolution).map_err(unreadable)
    }

    /// The files of lessons.
    pub(crate) fn lesson_files(&self) -> Result<LessonFiles<'_>, CommandError> {
        LessonFiles::new(&self.root).map_err(unreadable)
    }

    /// All lessons, those of one agent where it is named. Files that hold none
    /// are told as warnings.
    pub(crate) fn lessons(
        &self,
        context: &mut Context,
        agent: Option<&str>,
    ) -> Result<Vec<Lesson>, CommandError> {
        let files = self.lesson_files()?;
        let found = match agent {
            Some(agent) => files.of(agent),
            None => files.all(),
        };
        let found = found.map_err(unreadable)?;
        for bad in found.bad {
            let path = bad.path.display();
            context
                .streams
                .warn(&format!("{path} is left out: {}", bad.message));
        }
        Ok(found.lessons)
    }

    /// The lesson that an id, or the beginning of one, means.
    ///
    /// # Errors
    /// When it means none, or several.
    pub(crate) fn lesson(&self, context: &mut Context, id: &str) -> Result<Lesson, CommandError> {
        let wanted = id.to_ascii_lowercase();
        let lessons = self.lessons(context, None)?;
        let mut meant = lessons
            .into_iter()
            .filter(|lesson| lesson.id.as_str().starts_with(&wanted));
        match (meant.next(), meant.next()) {
            (Some(lesson), None) if !wanted.is_empty() => Ok(lesson),
            (Some(_), _) => {
                let message = format!("several lessons begin with \"{id}\"");
                Err(CommandError::new(ErrorKind::Usage, message).hint("give more of the id"))
            }
            (None, _) => {
                let message = format!("there is no lesson {id}");
                let hint = "`ralph learn review` shows what is proposed";
                Err(CommandError::new(ErrorKind::Usage, message).hint(hint))
            }
        }
    }

    /// Keeps a lesson.
    ///
    /// # Errors
    /// When its file cannot be written.
    pub(crate) fn put(&self, lesson: &Lesson) -> Result<(), CommandError> {
        let files = self.lesson_files()?;
        let lock = files.lock(&lesson.agent);
        lock.and_then(|lock| files.put(&lock, lesson))
            .map_err(unwritable)
    }
}
