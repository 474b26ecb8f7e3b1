//! In whose words lessons are.

use review_learning::lesson::{Draft, FeedbackPattern, Writing};
use review_text::Lexicon;

use super::LessonWriter;
use crate::error::CommandError;

/// In whose words lessons are.
pub(crate) enum Words<'w> {
    /// In those of the feedback itself.
    OfFeedback,
    /// In those of a reviewer, where it writes what can be used.
    OfReviewer(Box<LessonWriter<'w>>),
}

impl Words<'_> {
    /// What a pattern in the feedback of an agent teaches.
    ///
    /// # Errors
    /// When a signal came.
    pub(super) fn draft(
        &mut self,
        agent: &str,
        pattern: &FeedbackPattern<'_>,
        lexicon: &Lexicon,
    ) -> Result<Draft, CommandError> {
        let written = match self {
            Self::OfFeedback => None,
            Self::OfReviewer(writer) => writer.write(agent, pattern)?,
        };
        Ok(written.unwrap_or_else(|| Draft::of(pattern, lexicon)))
    }

    /// What asking came to since this was called last.
    pub(super) fn writing(&mut self) -> Option<Writing> {
        match self {
            Self::OfFeedback => None,
            Self::OfReviewer(writer) => Some(writer.take_writing()),
        }
    }
}
