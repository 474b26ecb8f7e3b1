//! The learning protocols: sequences of steps by which agents learn.
//!
//! Each step is one event of the type `learning.PROTOCOL.STEP`.

use std::fmt;

use review_events::FORMAT_VERSION;
use review_types::{RunId, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use review_types::closed_list;

closed_list!(
    /// A step of the collection of feedback.
    CollectionStep {
        /// The task, file and round are recorded.
        CaptureContext => "capture_context",
        /// The details are recorded.
        ExtractDetails => "extract_details",
        /// The severity is decided.
        AssignSeverity => "assign_severity",
        /// The entry is tagged.
        TagFeedback => "tag_feedback",
        /// The entry is written.
        StoreEntry => "store_entry",
    }
);

closed_list!(
    /// A step of the extraction of lessons.
    ExtractionStep {
        /// The entries are read.
        LoadRecentFeedback => "load_recent_feedback",
        /// The entries are clustered.
        ClusterBySimilarity => "cluster_by_similarity",
        /// Frequent clusters become patterns.
        DetectPatterns => "detect_patterns",
        /// Patterns become lessons.
        GenerateLessons => "generate_lessons",
        /// Lessons become constraints.
        ProposeConstraints => "propose_constraints",
        /// The lessons await approval.
        SubmitForApproval => "submit_for_approval",
    }
);

closed_list!(
    /// A step of the update of a prompt.
    UpdateStep {
        /// The active version is read.
        LoadCurrentPrompt => "load_current_prompt",
        /// The constraints of the lessons are added.
        ApplyConstraintUpdates => "apply_constraint_updates",
        /// The content of the new version is built.
        GenerateNewVersion => "generate_new_version",
        /// The version is written.
        StoreVersion => "store_version",
        /// Operators are notified.
        NotifyOperators => "notify_operators",
        /// Its performance is tracked from now on.
        TrackPerformance => "track_performance",
    }
);

closed_list!(
    /// A step of a rollback.
    RollbackStep {
        /// The target version is found.
        IdentifyRollbackTarget => "identify_rollback_target",
        /// The target version becomes active.
        RestorePreviousVersion => "restore_previous_version",
        /// The rollback is logged.
        LogRollback => "log_rollback",
        /// Operators are notified.
        NotifyOperators => "notify_operators",
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

/// A step of one of the protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Of the collection of feedback.
    Collection(CollectionStep),
    /// Of the extraction of lessons.
    Extraction(ExtractionStep),
    /// Of the update of a prompt.
    Update(UpdateStep),
    /// Of a rollback.
    Rollback(RollbackStep),
}

impl Step {
    /// Returns all steps of all protocols, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        let collection = CollectionStep::ALL.iter().copied().map(Self::Collection);
        let extraction = ExtractionStep::ALL.iter().copied().map(Self::Extraction);
        let update = UpdateStep::ALL.iter().copied().map(Self::Update);
        let rollback = RollbackStep::ALL.iter().copied().map(Self::Rollback);
        collection.chain(extraction).chain(update).chain(rollback)
    }
}

/// The type of the event, such as `learning.rollback.log_rollback`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collection(step) => write!(f, "learning.feedback_collection.{step}"),
            Self::Extraction(step) => write!(f, "learning.lesson_extraction.{step}"),
            Self::Update(step) => write!(f, "learning.prompt_update.{step}"),
            Self::Rollback(step) => write!(f, "learning.rollback.{step}"),
        }
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

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
    #[serde(rename = "type")]
    pub step: Step,
    /// The trigger, the agent and further details.
    pub payload: StepPayload,
}

/// The payload of a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepPayload {
    /// The trigger of the protocol.
    pub trigger: Trigger,
    /// The agent that learns.
    pub agent: String,
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
    pub agent: &'a str,
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
                agent: self.agent.to_owned(),
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
            agent: "reviewer",
        };
        let step = Step::Rollback(RollbackStep::NotifyOperators);
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

    #[test]
    fn steps_have_the_names_of_their_protocols() {
        let types = [
            Step::Collection(CollectionStep::StoreEntry),
            Step::Extraction(ExtractionStep::ProposeConstraints),
            Step::Update(UpdateStep::NotifyOperators),
        ];
        assert_eq!(
            types.map(|step| step.to_string()),
            [
                "learning.feedback_collection.store_entry",
                "learning.lesson_extraction.propose_constraints",
                "learning.prompt_update.notify_operators",
            ]
        );
    }
}
