//! The payloads of the events.

use review_types::{
    AckDifference, AgentError, BlockCode, DecisionCounts, FeedbackItem, Finding, FindingCounts,
    FindingId, Hash, IterationHistory, ModelId, Outcome, PastItem, Scores, Severity, TaskNumber,
    TaskStatus, Usage, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::{MustPass, PinnedPrompt};

/// A text as far as an event carries it, with the hash of the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Text {
    /// The tail of the text, at most 4 KiB.
    pub tail: String,
    /// Bytes of the whole text.
    pub bytes: u64,
    /// Hash of the whole text.
    pub hash: Hash,
}

/// Payload of `run.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunStarted {
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The root of the run.
    pub root: String,
    /// The versions of the roles' instructions that its agents are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PinnedPrompt>,
}

/// Payload of `run.resumed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunResumed {
    /// Number of the resume, from 1.
    pub resume: u32,
    /// Whether the artifact differs from what the run left.
    pub artifact_changed: bool,
}

/// Payload of `run.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunFinished {
    /// What the run became.
    pub outcome: Outcome,
    /// Why it is blocked, if it is.
    pub block_code: Option<BlockCode>,
    /// The same in words; empty when it is not blocked.
    pub block_reason: String,
}

/// Payload of `run.interrupted` and `run.broken`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunEnded {
    /// What ended the process, in words.
    pub reason: String,
}

/// Payload of `step.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepStarted {
    /// Name of the step, a path such as `review/review-1.1` or `task/7/gate.1.1`.
    pub step: String,
    /// How often the step was started, this time included; more than 1 when an
    /// earlier process was cut off in it.
    pub attempt: u32,
}

/// Payload of `step.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepFinished {
    /// Name of the step.
    pub step: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// Payload of `spec.review.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewStarted {
    /// What the loop is about.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs.
    pub specs_path: String,
}

/// Payload of `spec.review.iteration`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewIteration {
    /// What the loop is about.
    pub feature: String,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// What the reviewer decided.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// Its feedback, at most 64 items and 256 KiB.
    pub feedback: Vec<FeedbackItem>,
    /// Whether items were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Hash of the artifact that was reviewed; absent where nobody looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub artifact: Option<Hash>,
    /// What a command of the project said of it; absent where none is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub check: Option<CheckReport>,
}

/// What a command of the project said before a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// The command.
    pub command: String,
    /// Why it did not pass; absent when it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub failure: Option<String>,
    /// The end of what it printed, at most 4 KiB.
    pub output: String,
}

impl CheckReport {
    /// Whether it passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// What is to be changed when it did not pass.
    #[must_use]
    pub fn item(&self) -> Option<FeedbackItem> {
        let failure = self.failure.as_ref()?;
        let item = FeedbackItem::new(
            "review.check",
            format!("The command `{}` does not pass: {failure}", self.command),
            "Change the artifact so that the command passes again.",
        );
        Some(item.ok()?.with_severity(Severity::Critical))
    }
}

/// Payload of `spec.review.feedback`: what the applier is about to get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewFeedbackGiven {
    /// What the loop is about.
    pub feature: String,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The items, at most 64 and 256 KiB.
    pub feedback: Vec<FeedbackItem>,
    /// The scores of the round.
    pub scores: Scores,
    /// Whether items were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Payload of `feedback.decided`: what an applier made of feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackDecided {
    /// Number of the round whose feedback it is, from 1.
    pub iteration: u32,
    /// How many items were decided on in each way.
    pub counts: DecisionCounts,
    /// The items with the decision on each, at most 64 and 256 KiB.
    pub feedback: Vec<PastItem>,
    /// Whether items were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Payload of `feedback.findings`: what the items of all rounds come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingsJoined {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The findings, at most 64 and 256 KiB, those raised last first.
    pub findings: Vec<Finding>,
    /// How many there are of each kind.
    pub counts: FindingCounts,
    /// Findings that come back again and again, this round included: raised in
    /// `feedback.alert_threshold` of the last `feedback.window_size` rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<FindingId>,
    /// How many findings of the round are below the fail level and ask for no
    /// revision.
    pub below_fail_level: u32,
    /// The rounds that brought only new findings that nothing proves; absent where
    /// there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unproved_rounds: Option<UnprovedRounds>,
    /// Whether findings were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The rounds that brought only new findings that nothing proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnprovedRounds {
    /// How many there were.
    pub spent: u32,
    /// How many there may be.
    pub allowed: u32,
}

/// Payload of `feedback.repeated_issue`: a finding that was raised in
/// `feedback.alert_threshold` of the last `feedback.window_size` rounds is raised
/// again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepeatedIssue {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The finding, with the rounds in which it was raised.
    pub finding: Finding,
}

/// Payload of `feedback.unacknowledged`: a reviewer's acknowledgement of
/// decisions is not about what was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackUnacknowledged {
    /// Number of the round in which it was told the decisions, from 1.
    pub iteration: u32,
    /// How it differs.
    pub difference: AckDifference,
}

/// Payload of `artifact.undone`: what an applier left was undone, since its call
/// failed or was cut off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactUndone {
    /// Number of the round whose feedback was applied, from 1.
    pub iteration: u32,
    /// The files that it left otherwise than they had been, at most 64; what
    /// they held is kept.
    pub files: Vec<KeptText>,
    /// Whether more files were undone.
    pub truncated: bool,
}

/// A file whose text is kept as a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptText {
    /// Its path, relative to the root.
    pub path: String,
    /// Hash of its text.
    pub text: Hash,
}

/// Payload of `spec.review.approved`: persons let the artifact pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewApproved {
    /// What the loop is about.
    pub feature: String,
    /// Who approved.
    pub by: String,
}

/// Payload of `spec.review.passed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewPassed {
    /// What the loop is about.
    pub feature: String,
    /// Path of the requirements.
    pub prd_path: String,
    /// Path of the specs.
    pub specs_path: String,
    /// How many rounds it took.
    pub iterations: u32,
    /// The scores of the round that passed.
    pub scores: Scores,
}

/// Payload of `spec.review.blocked`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewBlocked {
    /// What the loop is about.
    pub feature: String,
    /// Why, as a closed code.
    pub code: BlockCode,
    /// Why, in words.
    pub reason: String,
    /// Every round.
    pub iterations: Vec<IterationHistory>,
    /// What a person can do next, in order.
    pub recovery_actions: Vec<String>,
    /// Path of the specs as they are now.
    pub current_specs_path: String,
    /// The round whose artifact is on disk, where rounds were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestRound>,
}

/// The best round of a loop that cannot pass: its artifact is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestRound {
    /// Its number, from 1.
    pub iteration: u32,
    /// What it is worth, in words.
    pub standing: String,
    /// Whether files were put back for it.
    pub restored: bool,
    /// Files that somebody else changed, which were left as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// Payload of `spec.review.malformed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewMalformed {
    /// What the loop is about.
    pub feature: String,
    /// The answer's tail.
    pub raw_output: String,
    /// Hash of the whole answer.
    pub raw_output_hash: Hash,
    /// Why it is malformed.
    pub parse_error: String,
    /// Number of the malformed answer within its round, from 1.
    pub retry_number: u32,
}

/// Payload of `spec.review.reviewer_failed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewerFailed {
    /// What the loop is about.
    pub feature: String,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the call ended.
    pub error: AgentError,
}

/// Payload of `agent.answer_repaired`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerRepaired {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How many repairs the answer needed.
    pub repairs: u32,
}

/// What an agent is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AgentRole {
    /// To review.
    Reviewer,
    /// To apply feedback.
    Applier,
}

impl AgentRole {
    /// The word used in JSON and in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Applier => "applier",
        }
    }
}

/// Payload of `agent.call_ended`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallEnded {
    /// Who was called.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Who answered; `null` when nobody did.
    pub by: Option<ModelId>,
    /// What the call consumed; `null` when that is unknown.
    pub usage: Option<Usage>,
}

/// Payload of `agent.call_retried`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallRetried {
    /// Who was called.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the call ended.
    pub error: AgentError,
    /// Milliseconds until it is called again.
    pub pause_ms: u64,
}

/// Payload of `agent.reviewer_replaced`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewerReplaced {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the last call of the one before ended.
    pub error: AgentError,
    /// The reviewer that is asked now.
    pub by: String,
}

/// Payload of `agent.pass_overruled`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassOverruled {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How many facts about the artifact forbid it to pass.
    pub facts: u32,
}

/// Payload of `agent.pass_contradicted`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassContradicted {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Position of the first item that asks for a revision, from 0.
    pub item: u32,
    /// The severity that the reviewer gave it.
    pub severity: Severity,
    /// Whether the reviewer is asked again; else the answer is read as
    /// `needs_revision`.
    pub asked_again: bool,
}

/// The state of a task after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Its command passed.
    Passed,
    /// Its command ended with a failure, or the artifact changed while it ran.
    Failed,
    /// Its command ran out of time.
    TimedOut,
    /// Its command passed and ran no test at all.
    NoTests,
    /// Its command passed, and a test that the task lists did not run and pass.
    TestsMissing,
    /// It has no command.
    NoCommand,
    /// Something it depends on did not pass.
    Skipped,
    /// The run ended before its turn.
    NotRun,
}

impl TaskState {
    /// The word used in JSON and in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::NoTests => "no_tests",
            Self::TestsMissing => "tests_missing",
            Self::NoCommand => "no_command",
            Self::Skipped => "skipped",
            Self::NotRun => "not_run",
        }
    }
}

/// Payload of `task.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskStarted {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its command, one step a line.
    pub command: String,
}

/// Payload of `task.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskFinished {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub state: TaskState,
    /// Tests that ran; `None` when no known runner spoke.
    pub tests_run: Option<u64>,
    /// What became of the tests that the task lists; `None` when it lists none
    /// or its command did not pass.
    pub must_pass: Option<MustPass>,
    /// How long the command took, in milliseconds.
    pub took_ms: u64,
    /// Whether an earlier recorded run was taken instead of a new one.
    pub cached: bool,
    /// Whether the command changed the tree it ran in.
    pub changed_tree: bool,
    /// What went wrong, in words; empty when nothing did.
    pub reason: String,
    /// The end of what the command printed, when it did not pass.
    pub tail: String,
    /// Path of the log with all that it printed, if it ran.
    pub log: Option<String>,
}

/// Payload of `task.skipped`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskSkipped {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// The tasks it depends on that did not pass.
    pub because_of: Vec<TaskNumber>,
}

/// Payload of `task.status_written`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskStatusWritten {
    /// Number of the task.
    pub task: TaskNumber,
    /// Path of its file, relative to the root.
    pub path: String,
    /// The status it was given.
    pub status: TaskStatus,
}

/// Payload of `task.status_kept`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskStatusKept {
    /// Number of the task.
    pub task: TaskNumber,
    /// Path of its file, relative to the root.
    pub path: String,
    /// The status it should have been given.
    pub status: TaskStatus,
    /// Why it was not, in words.
    pub reason: String,
}
