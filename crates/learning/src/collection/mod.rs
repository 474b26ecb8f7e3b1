//! The collection of feedback: what runs and persons said becomes entries.
//!
//! It is pure: ids are derived by the caller from keys that are the same
//! whenever the same is collected, so that nothing is collected twice.

mod correction;
mod human;
mod prune;
mod run;
mod text;

use review_types::{RunId, Timestamp};
use serde_json::json;

pub use human::{Said, Speech};
pub use prune::expired;
pub use run::RunFeedback;

use crate::Id;
use crate::feedback::{Context, Details, FeedbackEntry, FeedbackType, Severity};
use crate::protocol::{CollectionStep, Course, LearningEvent, Step};

/// Our own roles, as agents that learn.
pub(crate) const REVIEWER: &str = "reviewer";
pub(crate) const APPLIER: &str = "applier";

/// Feedback that has no id yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What tells it from all other feedback, the same whenever it is collected.
    pub key: String,
    /// The agent.
    pub agent: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// Where it comes from.
    pub feedback_type: FeedbackType,
    /// How grave it is; `None` where nobody said so.
    pub severity: Option<Severity>,
    /// What was being done.
    pub context: Context,
    /// What went wrong.
    pub details: Details,
    /// What it is about, in single words.
    pub tags: Vec<String>,
}

impl Draft {
    /// The entry, its texts without what `redact` takes out of them, under an id
    /// that `derive` makes of the key.
    #[must_use]
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

/// The steps that collected an entry, in order, at the moment `now` in the run
/// `run`.
#[must_use]
pub fn steps(entry: &FeedbackEntry, run: Option<&RunId>, now: Timestamp) -> [LearningEvent; 5] {
    let course = Course {
        run,
        at: now,
        trigger: entry.feedback_type.trigger(),
        agent: &entry.agent,
    };
    let id = &entry.id;
    [
        (
            CollectionStep::CaptureContext,
            json!({"id": id, "context": entry.context}),
        ),
        (
            CollectionStep::ExtractDetails,
            json!({"id": id, "details": members_of(&entry.details)}),
        ),
        (
            CollectionStep::AssignSeverity,
            json!({"id": id, "severity": entry.effective_severity()}),
        ),
        (
            CollectionStep::TagFeedback,
            json!({"id": id, "tags": entry.tags}),
        ),
        (
            CollectionStep::StoreEntry,
            json!({"id": id, "file": entry.file_name()}),
        ),
    ]
    .map(|(step, details)| course.step(Step::Collection(step), details))
}

/// The names of the members that an entry's details have; their texts are in the
/// entry.
fn members_of(details: &Details) -> Vec<&'static str> {
    let members = [
        ("error_message", details.error_message.is_some()),
        ("expected", details.expected.is_some()),
        ("actual", details.actual.is_some()),
        ("correction", details.correction.is_some()),
        ("quality_scores", !details.quality_scores.is_empty()),
    ];
    let there = members.iter().filter(|(_, is_there)| *is_there);
    there.map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests;
