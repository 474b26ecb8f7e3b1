//! The words that lessons are written in.

use review_learning::config::LearningConfig;
use review_learning::lesson::{Draft, FeedbackPattern, Writing};
use review_learning::{AgentName, Id};

use super::LessonWriter;
use crate::error::EngineError;
use crate::project::Project;
use crate::settings::RunSettings;

/// The words that lessons are written in.
pub enum Words<'a> {
    /// Those of the common patterns; other patterns wait.
    OfFeedback,
    /// Those of a user, for one group that waits.
    OfUser {
        /// The id of the group.
        group: Id,
        /// The words.
        draft: Draft,
    },
    /// Those of a reviewer, where it writes what can be used.
    OfReviewer(Box<LessonWriter>),
    /// Those of the reviewer of a run, which no one asked yet.
    Unasked {
        /// The project.
        project: &'a Project<'a>,
        /// What the run was asked to do.
        settings: &'a RunSettings,
        /// The configuration of learning.
        config: &'a LearningConfig,
    },
}

impl Words<'_> {
    /// Puts what a pattern in the feedback of an agent teaches into words; `None` for one
    /// that waits. A new lesson has this id.
    ///
    /// # Errors
    /// When a signal came, or the reviewer cannot be asked.
    pub(super) async fn draft(
        &mut self,
        agent: &AgentName,
        pattern: &FeedbackPattern<'_>,
        id: &Id,
    ) -> Result<Option<Draft>, EngineError> {
        if let Self::Unasked {
            project,
            settings,
            config,
        } = *self
        {
            let writer = Box::pin(LessonWriter::of(project, settings.clone(), config)).await?;
            *self = writer.map_or(Self::OfFeedback, |writer| {
                Self::OfReviewer(Box::new(writer))
            });
        }
        let written = match self {
            Self::OfFeedback | Self::Unasked { .. } => None,
            Self::OfUser { group, draft } => return Ok((group == id).then(|| draft.clone())),
            Self::OfReviewer(writer) => writer.write(agent, pattern).await?,
        };
        Ok(written.or_else(|| Draft::of(pattern)))
    }

    /// Whether lessons of common patterns are worded again.
    pub(super) const fn has_author(&self) -> bool {
        match self {
            Self::OfFeedback | Self::OfUser { .. } | Self::Unasked { .. } => false,
            Self::OfReviewer(_) => true,
        }
    }

    /// Returns what asking cost since this was called last.
    pub(super) fn writing(&mut self) -> Option<Writing> {
        match self {
            Self::OfFeedback | Self::OfUser { .. } | Self::Unasked { .. } => None,
            Self::OfReviewer(writer) => Some(writer.take_writing()),
        }
    }
}
