//! Feedback entries from corrections.

use super::Draft;
use super::text::{tag, text};
use crate::corrections::{self, Correction};
use crate::feedback::{Context, Details, FeedbackType, Severity};

impl Draft {
    /// The feedback for a correction. Two corrections are the same if they have the
    /// same agent, text and timestamp.
    #[must_use]
    pub fn of_correction(correction: &Correction) -> Self {
        let feedback_type = FeedbackType::HumanCorrection;
        let user = &correction.user_correction;
        let pattern = correction
            .pattern_inferred
            .as_ref()
            .map(|name| name.as_str());
        let words = [
            Some(feedback_type.as_str()),
            Some(correction.correction_type.as_str()),
            Some(correction.source.as_str()),
            pattern,
        ];
        let task = correction
            .context
            .as_ref()
            .and_then(|context| context.task.as_deref());
        let file = correction
            .ai_action
            .place()
            .map(|(path, _)| path.to_owned());
        let said = user.verbatim.as_deref().unwrap_or(&user.summary);
        Self {
            key: format!(
                "correction/{}/{}/{}/{said}",
                correction.timestamp.at(),
                correction.agent,
                correction.ai_action.summary,
            ),
            agent: correction.agent.clone(),
            timestamp: correction.timestamp.at(),
            feedback_type,
            severity: correction.severity.map(severity),
            context: Context {
                task: task.and_then(text),
                artifact_path: file,
                iteration: None,
                session: correction.session_id.as_deref().and_then(text),
            },
            details: Details {
                error_message: text(&correction.ai_action.summary),
                expected: user.verbatim.as_deref().and_then(text),
                correction: text(&user.summary),
                ..Details::default()
            },
            tags: words.into_iter().flatten().filter_map(tag).collect(),
        }
    }
}

const fn severity(severity: corrections::Severity) -> Severity {
    match severity {
        corrections::Severity::High => Severity::High,
        corrections::Severity::Medium => Severity::Medium,
        corrections::Severity::Low => Severity::Low,
    }
}
