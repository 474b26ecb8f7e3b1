//! The words that lessons are written in.

use review_learning::lesson::{Draft, FeedbackPattern, Writing};
use review_text::Lexicon;

use super::{LearnError, LessonWriter};

/// The words that lessons are written in.
pub enum Words {
    /// Those of the feedback itself.
    OfFeedback,
    /// Those of a reviewer, where it writes what can be used.
    OfReviewer(Box<LessonWriter>),
}

impl Words {
    /// Puts what a pattern in the feedback of an agent teaches into words.
    ///
    /// # Errors
    /// When a signal came.
    pub(super) async fn draft(
        &mut self,
        agent: &str,
        pattern: &FeedbackPattern<'_>,
        lexicon: &Lexicon,
    ) -> Result<Draft, LearnError> {
        let written = match self {
            Self::OfFeedback => None,
            Self::OfReviewer(writer) => writer.write(agent, pattern).await?,
        };
        Ok(written.unwrap_or_else(|| Draft::of(pattern, lexicon)))
    }

    /// Returns what asking cost since this was called last.
    pub(super) fn writing(&mut self) -> Option<Writing> {
        match self {
            Self::OfFeedback => None,
            Self::OfReviewer(writer) => Some(writer.take_writing()),
        }
    }
}
