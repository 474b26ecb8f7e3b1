//! The learning protocols: sequences of steps by which agents learn.
//!
//! Each step is one event of the type `learning.PROTOCOL.STEP`.

use crate::AgentName;
use review_events::FORMAT_VERSION;
use review_types::{RunId, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use review_types::closed_list;

closed_list!(
    /// A step of one of the protocols, by the type of its event.
    Step {
        /// The task, file and round are recorded.
        CaptureContext => "learning.feedback_collection.capture_context",
        /// The details are recorded.
        ExtractDetails => "learning.feedback_collection.extract_details",
        /// The severity is decided.
        AssignSeverity => "learning.feedback_collection.assign_severity",
        /// The entry is tagged.
        TagFeedback => "learning.feedback_collection.tag_feedback",
        /// The entry is written.
        StoreEntry => "learning.feedback_collection.store_entry",
        /// The entries are read.
        LoadRecentFeedback => "learning.lesson_extraction.load_recent_feedback",
        /// The entries are clustered.
        ClusterBySimilarity => "learning.lesson_extraction.cluster_by_similarity",
        /// Frequent clusters become patterns.
        DetectPatterns => "learning.lesson_extraction.detect_patterns",
        /// Patterns become lessons.
        GenerateLessons => "learning.lesson_extraction.generate_lessons",
        /// Lessons become constraints.
        ProposeConstraints => "learning.lesson_extraction.propose_constraints",
        /// The lessons await approval.
        SubmitForApproval => "learning.lesson_extraction.submit_for_approval",
        /// The active version is read.
        LoadCurrentPrompt => "learning.prompt_update.load_current_prompt",
        /// The constraints of the lessons are added.
        ApplyConstraintUpdates => "learning.prompt_update.apply_constraint_updates",
        /// The content of the new version is built.
        GenerateNewVersion => "learning.prompt_update.generate_new_version",
        /// The version is written.
        StoreVersion => "learning.prompt_update.store_version",
        /// Operators are notified of the update.
        NotifyOfUpdate => "learning.prompt_update.notify_operators",
        /// Its performance is tracked from now on.
        TrackPerformance => "learning.prompt_update.track_performance",
        /// The target version is found.
        IdentifyRollbackTarget => "learning.rollback.identify_rollback_target",
        /// The target version becomes active.
        RestorePreviousVersion => "learning.rollback.restore_previous_version",
        /// The rollback is logged.
        LogRollback => "learning.rollback.log_rollback",
        /// Operators are notified of the rollback.
        NotifyOfRollback => "learning.rollback.notify_operators",
    }
);

closed_list!(
    /// The trigger of a protocol.
    Trigger {
        /// A response was malformed or rejected, or an edit was not applied.
        ValidationFailure => "validation_failure",
        /// A reviewer requested a revision.
        ReviewRejection => "review_rejection",
        /// A user corrected something.
        HumanCorrection => "human_correction",
        /// A score is below its minimum.
        LowQualityScore => "low_quality_score",
        /// A task's command failed.
        TestFailure => "test_failure",
        /// A security issue was found.
        SecurityFinding => "security_finding",
        /// There are enough entries.
        FeedbackThresholdReached => "feedback_threshold_reached",
        /// It is due.
        ScheduledAnalysis => "scheduled_analysis",
        /// A user requested it.
        ManualRequest => "manual_request",
        /// A lesson was approved.
        LessonApproved => "lesson_approved",
        /// A version performs worse than the previous one.
        PerformanceDegradation => "performance_degradation",
    }
);

/// A completed step.
///
/// Its JSON form is the envelope of all events:
/// `{"v":1,"run","timestamp","type","payload"}`. `run` is absent outside runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearningEvent {
    v: u32,
    /// The run, if the step belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The time of the step.
    pub timestamp: Timestamp,
    /// The step.
    #[serde(rename = "type", serialize_with = "event_type")]
    pub step: Step,
    /// The trigger, the agent and further details.
    pub payload: StepPayload,
}

fn event_type<S: Serializer>(step: &Step, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(step.as_str())
}

/// The payload of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepPayload {
    /// The trigger of the protocol.
    pub trigger: Trigger,
    /// The agent that learns.
    pub agent: AgentName,
    /// Further details.
    #[serde(flatten)]
    pub details: Map<String, Json>,
}

/// The context of a sequence of steps.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// The run, if there is one.
    pub run: Option<&'a RunId>,
    /// The time of the steps.
    pub at: Timestamp,
    /// The trigger of the protocol.
    pub trigger: Trigger,
    /// The agent that learns.
    pub agent: &'a AgentName,
}

impl StepContext<'_> {
    /// Returns the event of a step; `details` is an object.
    pub fn step(&self, step: Step, details: Json) -> LearningEvent {
        LearningEvent {
            v: FORMAT_VERSION,
            run: self.run.cloned(),
            timestamp: self.at,
            step,
            payload: StepPayload {
                trigger: self.trigger,
                agent: self.agent.clone(),
                details: match details {
                    Json::Object(details) => details,
                    other => Map::from_iter([("details".to_owned(), other)]),
                },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_has_the_common_envelope() {
        let course = StepContext {
            run: None,
            at: Timestamp::UNIX_EPOCH,
            trigger: Trigger::PerformanceDegradation,
            agent: &AgentName::from("reviewer"),
        };
        let step = Step::NotifyOfRollback;
        let mut event = course.step(step, json!({"version": 3}));
        let expected = json!({
            "v": 1,
            "timestamp": "1970-01-01T00:00:00Z",
            "type": "learning.rollback.notify_operators",
            "payload": {"trigger": "performance_degradation", "agent": "reviewer", "version": 3},
        });
        assert_eq!(serde_json::to_value(&event).unwrap(), expected);
        event.run = Some(RunId::new("r-1").unwrap());
        assert_eq!(serde_json::to_value(&event).unwrap()["run"], "r-1");
    }
}
