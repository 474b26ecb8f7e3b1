//! The collection of feedback: events of runs and comments of users become entries.
//!
//! The module is pure. The caller derives ids from keys that are the same at every
//! collection, so nothing is collected twice.

mod correction;
mod failure;
mod human;
mod prune;
mod run;
mod text;

use review_types::{RunId, Timestamp};
use serde_json::json;

pub use human::{CommentKind, UserComment};
pub use prune::expired;
pub use run::RunFeedback;

use crate::feedback::{Context, Details, FeedbackEntry, FeedbackType, Severity};
use crate::protocol::{LearningEvent, Step, StepContext};
use crate::{AgentName, Id};

/// Feedback without an id.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The key that identifies this feedback at every collection.
    pub key: String,
    /// The agent.
    pub agent: AgentName,
    /// The time of the event.
    pub timestamp: Timestamp,
    /// The source of the feedback.
    pub feedback_type: FeedbackType,
    /// The severity; `None` if none was given.
    pub severity: Option<Severity>,
    /// The task, file and round concerned.
    pub context: Context,
    /// What went wrong.
    pub details: Details,
    /// Tags for the topic.
    pub tags: Vec<String>,
}

impl Draft {
    /// Returns the entry with an id derived from the key, and with every string
    /// redacted by `redact`.
    pub fn entry(
        self,
        redact: &dyn Fn(&str) -> String,
        derive: &dyn Fn(&str) -> Id,
    ) -> FeedbackEntry {
        let text = |text: Option<String>| text.map(|text| redact(&text));
        FeedbackEntry {
            id: derive(&self.key),
            agent: self.agent,
            timestamp: self.timestamp,
            feedback_type: self.feedback_type,
            severity: self.severity,
            context: Context {
                task: text(self.context.task),
                artifact_path: text(self.context.artifact_path),
                ..self.context
            },
            details: Details {
                error_message: text(self.details.error_message),
                expected: text(self.details.expected),
                actual: text(self.details.actual),
                correction: text(self.details.correction),
                quality_scores: self.details.quality_scores,
            },
            tags: self.tags.iter().map(|tag| redact(tag)).collect(),
        }
    }
}

/// The protocol steps that collected an entry, in order, at the time `now` in the run
/// `run`.
pub fn steps(entry: &FeedbackEntry, run: Option<&RunId>, now: Timestamp) -> [LearningEvent; 5] {
    let course = StepContext {
        run,
        at: now,
        trigger: entry.feedback_type.trigger(),
        agent: &entry.agent,
    };
    let details = json!({"id": entry.id, "file": entry.file_name()});
    [
        Step::CaptureContext,
        Step::ExtractDetails,
        Step::AssignSeverity,
        Step::TagFeedback,
        Step::StoreEntry,
    ]
    .map(|step| course.step(step, details.clone()))
}

#[cfg(test)]
mod tests;
