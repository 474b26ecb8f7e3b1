//! The list of events.
//!
//! To add one: a payload in `payload.rs` and a row in `events!`.

use crate::payload::*;

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $word:literal),+ $(,)?) => {
        /// An event, with its payload.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Event {
            $($(#[$doc])* $variant($payload)),+
        }

        review_types::closed_list!(
            /// The type of an event, as written in its envelope.
            #[non_exhaustive]
            EventType { $($(#[$doc])* $variant => $word,)+ }
        );

        impl Event {
            /// Returns the type of the event.
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
    /// A run started.
    RunStarted(RunStarted) = "run.started",
    /// A run continues after it had ended or was interrupted.
    RunResumed(RunResumed) = "run.resumed",
    /// A run ended.
    RunFinished(RunFinished) = "run.finished",
    /// A signal or an internal failure ended the process of a run.
    RunInterrupted(RunEnded) = "run.interrupted",
    /// A step started.
    StepStarted(StepStarted) = "step.started",
    /// A step finished.
    StepFinished(StepFinished) = "step.finished",
    /// A command of a step starts.
    StepCommand(StepCommand) = "step.command",
    /// What a command of a step printed so far.
    StepOutput(StepOutput) = "step.output",
    /// A review loop started.
    ReviewStarted(ReviewStarted) = "spec.review.started",
    /// A reviewer's answer was parsed.
    ReviewIteration(ReviewIteration) = "spec.review.iteration",
    /// Feedback goes to the applier.
    ReviewFeedback(ReviewFeedbackGiven) = "spec.review.feedback",
    /// An applier decided on feedback.
    FeedbackDecided(FeedbackDecided) = "feedback.decided",
    /// The items of a round were joined with the earlier findings.
    FindingsJoined(FindingsJoined) = "feedback.findings",
    /// A finding is raised repeatedly.
    RepeatedIssue(RepeatedIssue) = "feedback.repeated_issue",
    /// A reviewer acknowledged other decisions than it was sent.
    FeedbackUnacknowledged(FeedbackUnacknowledged) = "feedback.unacknowledged",
    /// Changes of an applier were undone.
    ArtifactUndone(ArtifactUndone) = "artifact.undone",
    /// Users approved the artifact.
    ReviewApproved(ReviewApproved) = "spec.review.approved",
    /// A review passed.
    ReviewPassed(ReviewPassed) = "spec.review.passed",
    /// A loop ended without a pass.
    ReviewBlocked(ReviewBlocked) = "spec.review.blocked",
    /// A reviewer's answer is malformed.
    ReviewMalformed(ReviewMalformed) = "spec.review.malformed",
    /// A reviewer gave no answer.
    ReviewerFailed(ReviewerFailed) = "spec.review.reviewer_failed",
    /// An agent is called.
    CallStarted(CallStarted) = "agent.call_started",
    /// What an agent did so far in a call.
    AgentActivity(AgentActivity) = "agent.activity",
    /// The content of an agent's answer.
    AgentAnswered(AgentAnswered) = "agent.answered",
    /// A call of a model ended.
    CallEnded(CallEnded) = "agent.call_ended",
    /// A call gave no answer and is retried.
    CallRetried(CallRetried) = "agent.call_retried",
    /// A reviewer gave no answer, and the next of the chain is called.
    ReviewerReplaced(ReviewerReplaced) = "agent.reviewer_replaced",
    /// A task's command starts.
    TaskStarted(TaskStarted) = "task.started",
    /// A task finished, or is skipped because a dependency did not pass.
    TaskFinished(TaskFinished) = "task.finished",
    /// The status in a task file was changed, or could not be.
    TaskStatus(TaskStatusSet) = "task.status",
    /// An attempt of an agent at a task was not accepted.
    TaskAttempted(TaskAttempted) = "task.attempted",
    /// The change of an agent was reviewed.
    TaskReviewed(TaskReviewed) = "task.reviewed",
    /// The change of an agent is on the lane.
    TaskOnLane(TaskOnLane) = "task.on_lane",
    /// Agents can start to work.
    LaneOpened(LaneOpened) = "lane.opened",
    /// The work of agents is on the target branch.
    LaneLanded(LaneLanded) = "lane.landed",
    /// The work of agents is on the lane only.
    LaneNotLanded(LaneNotLanded) = "lane.not_landed",
}
