//! The closed set of events.
//!
//! To add a kind: a payload in `payload.rs` and a row in `events!`.

use serde::{Deserialize, Serialize};

use crate::payload::{
    AnswerRepaired, ArtifactUndone, CallEnded, CallRetried, FeedbackDecided,
    FeedbackUnacknowledged, FindingsJoined, PassContradicted, PassOverruled, RepeatedIssue,
    ReviewApproved, ReviewBlocked, ReviewFeedbackGiven, ReviewIteration, ReviewMalformed,
    ReviewPassed, ReviewStarted, ReviewerFailed, ReviewerReplaced, RunEnded, RunFinished,
    RunResumed, RunStarted, StepFinished, StepStarted, TaskFinished, TaskSkipped, TaskStarted,
    TaskStatusKept, TaskStatusWritten,
};

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $word:literal),+ $(,)?) => {
        /// Something that happened, with its payload.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Event {
            $($(#[$doc])* $variant($payload)),+
        }

        /// The type of an event, as written in its envelope.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum EventType {
            $($(#[$doc])* #[serde(rename = $word)] $variant),+
        }

        impl EventType {
            /// Every type.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The type as text, such as `spec.review.started`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl Event {
            /// The type of the event.
            #[must_use]
            pub const fn event_type(&self) -> EventType {
                match self {
                    $(Self::$variant(_) => EventType::$variant),+
                }
            }

            pub(crate) fn payload(&self) -> serde_json::Result<serde_json::Value> {
                match self {
                    $(Self::$variant(payload) => serde_json::to_value(payload)),+
                }
            }

            pub(crate) fn from_parts(
                event_type: EventType,
                payload: serde_json::Value,
            ) -> serde_json::Result<Self> {
                match event_type {
                    $(EventType::$variant => serde_json::from_value(payload).map(Self::$variant)),+
                }
            }
        }
    };
}

events! {
    /// A run began.
    RunStarted(RunStarted) = "run.started",
    /// A run goes on after it had ended or was cut off.
    RunResumed(RunResumed) = "run.resumed",
    /// A run ended.
    RunFinished(RunFinished) = "run.finished",
    /// A signal ended the process of a run.
    RunInterrupted(RunEnded) = "run.interrupted",
    /// A failure of our own ended the process of a run.
    RunBroken(RunEnded) = "run.broken",
    /// A step is being carried out.
    StepStarted(StepStarted) = "step.started",
    /// A step was carried out.
    StepFinished(StepFinished) = "step.finished",
    /// A review loop began.
    ReviewStarted(ReviewStarted) = "spec.review.started",
    /// A reviewer's answer was read.
    ReviewIteration(ReviewIteration) = "spec.review.iteration",
    /// Feedback goes to the applier.
    ReviewFeedback(ReviewFeedbackGiven) = "spec.review.feedback",
    /// An applier decided on feedback.
    FeedbackDecided(FeedbackDecided) = "feedback.decided",
    /// The items of a round were joined with the findings before.
    FindingsJoined(FindingsJoined) = "feedback.findings",
    /// A finding comes back again and again.
    RepeatedIssue(RepeatedIssue) = "feedback.repeated_issue",
    /// A reviewer acknowledged other decisions than it was told.
    FeedbackUnacknowledged(FeedbackUnacknowledged) = "feedback.unacknowledged",
    /// What an applier left was undone.
    ArtifactUndone(ArtifactUndone) = "artifact.undone",
    /// Persons let the artifact pass.
    ReviewApproved(ReviewApproved) = "spec.review.approved",
    /// A review passed.
    ReviewPassed(ReviewPassed) = "spec.review.passed",
    /// A loop cannot pass.
    ReviewBlocked(ReviewBlocked) = "spec.review.blocked",
    /// A reviewer's answer could not be read.
    ReviewMalformed(ReviewMalformed) = "spec.review.malformed",
    /// A reviewer gave no answer.
    ReviewerFailed(ReviewerFailed) = "spec.review.reviewer_failed",
    /// An answer was read after repairs.
    AnswerRepaired(AnswerRepaired) = "agent.answer_repaired",
    /// A call of a model ended.
    CallEnded(CallEnded) = "agent.call_ended",
    /// A call gave nothing and is tried again.
    CallRetried(CallRetried) = "agent.call_retried",
    /// A reviewer gave no answer, and the next of the chain is asked.
    ReviewerReplaced(ReviewerReplaced) = "agent.reviewer_replaced",
    /// A reviewer passed an artifact that cannot pass.
    PassOverruled(PassOverruled) = "agent.pass_overruled",
    /// A reviewer passed an artifact and called an item of its own too grave for
    /// a pass.
    PassContradicted(PassContradicted) = "agent.pass_contradicted",
    /// A task's command starts.
    TaskStarted(TaskStarted) = "task.started",
    /// A task had its turn.
    TaskFinished(TaskFinished) = "task.finished",
    /// A task has no turn, since something it depends on did not pass.
    TaskSkipped(TaskSkipped) = "task.skipped",
    /// A task file was given another status.
    TaskStatusWritten(TaskStatusWritten) = "task.status_written",
    /// A task file could not be given another status.
    TaskStatusKept(TaskStatusKept) = "task.status_kept",
}
