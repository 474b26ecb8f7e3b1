//! The payloads of the events.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use review_types::{
    AckDifference, AgentError, BlockCode, DecisionCounts, Deduction, FeedbackItem, Finding,
    FindingCounts, Hash, IterationHistory, LandCode, ModelId, Outcome, PastItem, PromptRead,
    SandboxKind, Scores, Severity, TaskNumber, TaskStatus, Usage, Usd, Verdict, closed_list,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{MustPass, PinnedPrompt};

/// Payload of `run.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunStarted {
    /// The spec or path under review, relative to the root.
    pub spec: String,
    /// The root of the run.
    pub root: String,
    /// The versions of the role instructions that its agents are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PinnedPrompt>,
}

/// Payload of `run.resumed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunResumed {
    /// Number of the resume, from 1.
    pub resume: u32,
    /// Whether the artifact differs from the one that the run left.
    pub artifact_changed: bool,
    /// The new limit of calls, where it was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<u32>,
    /// The new limit of tokens, read and written, where it was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU64>,
    /// The new limit of cost, where it was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<Usd>,
    /// The new limit of the time of the run in milliseconds, where it was raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_ms: Option<u64>,
    /// The number of rounds that the review may have now; absent where its tasks are
    /// resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub max_iterations: Option<u32>,
}

/// Payload of `run.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunFinished {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The reason as a stable code, if it is blocked.
    pub block_code: Option<BlockCode>,
    /// The reason in words; empty when it is not blocked.
    pub block_reason: String,
}

/// Payload of `run.interrupted`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunEnded {
    /// The reason, in words.
    pub reason: String,
}

/// Payload of `step.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepStarted {
    /// Name of the step, a path such as `review/review-1.1` or `task/7/gate.1.1`.
    pub step: String,
    /// How often the step was started, including this time; more than 1 when an
    /// earlier process was interrupted in it.
    pub attempt: u32,
}

/// Payload of `step.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepFinished {
    /// Name of the step.
    pub step: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// The model or program that ran it; absent where it is unknown or where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ModelId>,
    /// What its calls consumed; absent where that is unknown or there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Payload of `step.command`: a command of a task, or the check before a review,
/// starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepCommand {
    /// Name of the step.
    pub step: String,
    /// The command.
    pub command: String,
    /// The time that it has, in milliseconds.
    pub time_limit_ms: u64,
}

/// Payload of `step.output`: what a command of a step printed so far. Only the most
/// recent state is reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepOutput {
    /// Name of the step.
    pub step: String,
    /// The last line, at most 1 KiB.
    pub line: String,
    /// The number of tests that ended so far; `null` when no known runner reported
    /// any.
    pub tests_run: Option<u64>,
}

/// Payload of `spec.review.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewStarted {
    /// The subject of the loop.
    pub feature: String,
    /// Path of the spec.
    pub spec: String,
    /// Path of the file or folder under review.
    pub path: String,
    /// The limit of rounds.
    pub max_iterations: u32,
}

/// Payload of `spec.review.iteration`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewIteration {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The verdict of the reviewer.
    pub verdict: Verdict,
    /// Its scores.
    pub scores: Scores,
    /// Its feedback, at most 64 items and 256 KiB.
    pub feedback: Vec<FeedbackItem>,
    /// What cost points of the scores; empty for a reviewer that does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deductions: Vec<Deduction>,
    /// The reviewer's actionable-feedback document, at most 256 KiB; absent in other
    /// dialects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
    /// Whether items were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Hash of the artifact that was reviewed; absent if it is not tracked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub artifact: Option<Hash>,
    /// The result of the check of the project; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub check: Option<CheckReport>,
    /// How much of its prompt a program read that left a part unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_unread: Option<PromptRead>,
    /// What is remarkable about the answers of the round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<AnswerRemark>,
}

impl ReviewIteration {
    /// Returns the vague items that stayed as they are.
    pub fn vague(&self) -> &[VagueItem] {
        self.last_vague(false)
    }

    /// Returns the number of items that the reviewer was asked to reword.
    pub fn sent_back(&self) -> usize {
        let items = self.last_vague(true).iter();
        items.map(|one| one.item).collect::<BTreeSet<_>>().len()
    }

    fn last_vague(&self, of_asked: bool) -> &[VagueItem] {
        let mut remarks = self.remarks.iter().rev();
        let items = remarks.find_map(|remark| match remark {
            AnswerRemark::Vague { items, asked_again } if *asked_again == of_asked => Some(items),
            _ => None,
        });
        items.map_or(&[], Vec::as_slice)
    }
}

/// What is remarkable about an answer of a reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRemark {
    /// It was read after this number of repairs.
    Repaired(u32),
    /// It passes an artifact that this number of facts block.
    Overruled(u32),
    /// It passes and has an item at or above the fail level: it counts as `needs_revision`.
    Contradicted {
        /// Position of the first such item, from 0.
        item: u32,
        /// Its severity by the reviewer.
        severity: Severity,
    },
    /// Items are vague, or advise instead of requesting a change.
    Vague {
        /// The items, at most 64.
        items: Vec<VagueItem>,
        /// Whether the reviewer was asked to reword them; otherwise they stay as they are.
        asked_again: bool,
    },
}

/// The result of the check of the project before a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckReport {
    /// The command.
    pub command: String,
    /// Why it failed; absent when it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub failure: Option<String>,
    /// The end of its output, at most 4 KiB.
    pub output: String,
}

impl CheckReport {
    /// Returns whether it passed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// Returns the feedback for a failed check.
    pub fn item(&self) -> Option<FeedbackItem> {
        let failure = self.failure.as_ref()?;
        let item = FeedbackItem::new(
            "review.check",
            format!("The command `{}` fails: {failure}", self.command),
            "Change the artifact so that the command passes again.",
        );
        Some(item.ok()?.with_severity(Severity::Critical))
    }
}

/// Payload of `spec.review.feedback`: the feedback for the applier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewFeedbackGiven {
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

/// Payload of `feedback.decided`: the applier's decisions on feedback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeedbackDecided {
    /// Number of the round that gave the feedback, from 1.
    pub iteration: u32,
    /// The number of decisions of each kind.
    pub counts: DecisionCounts,
    /// The items with the decision on each, at most 64 and 256 KiB.
    pub feedback: Vec<PastItem>,
    /// Whether items were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Payload of `feedback.findings`: the findings of all rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FindingsJoined {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The findings, at most 64 and 256 KiB, the most recent first.
    pub findings: Vec<Finding>,
    /// The number of findings of each kind.
    pub counts: FindingCounts,
    /// The number of findings of the round that are below the fail level and block
    /// nothing.
    pub below_fail_level: u32,
    /// The number of rounds that brought only new, unproved findings.
    pub unproved_rounds: UnprovedRounds,
    /// Whether findings were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The number of rounds that brought only new, unproved findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UnprovedRounds {
    /// The number of such rounds.
    pub spent: u32,
    /// The limit.
    pub allowed: u32,
}

/// Payload of `feedback.repeated_issue`: a finding that was raised in
/// `feedback.alert_threshold` of the last `feedback.window_size` rounds is raised
/// again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RepeatedIssue {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The finding, with the rounds in which it was raised.
    pub finding: Finding,
}

/// Payload of `feedback.unacknowledged`: a reviewer's acknowledgement does not
/// match the decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeedbackUnacknowledged {
    /// Number of the round in which it was sent the decisions, from 1.
    pub iteration: u32,
    /// How it differs.
    pub difference: AckDifference,
}

/// Payload of `artifact.undone`: changes of an applier were undone because its call
/// failed or was interrupted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ArtifactUndone {
    /// Number of the round whose feedback was applied, from 1.
    pub iteration: u32,
    /// The files that it changed, at most 64; their contents are stored.
    pub files: Vec<KeptText>,
    /// Whether more files were undone.
    pub truncated: bool,
}

/// A file whose content is stored as a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KeptText {
    /// Its path, relative to the root.
    pub path: String,
    /// Hash of its content.
    pub text: Hash,
}

/// Payload of `spec.review.approved`: users approved the artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewApproved {
    /// The users.
    pub by: String,
}

/// Payload of `spec.review.passed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewPassed {
    /// The number of rounds.
    pub iterations: u32,
    /// The scores of the round that passed.
    pub scores: Scores,
}

/// Payload of `spec.review.blocked`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewBlocked {
    /// The reason as a stable code.
    pub code: BlockCode,
    /// The reason in words.
    pub reason: String,
    /// Every round.
    pub iterations: Vec<IterationHistory>,
    /// The actions that a user can take next, in order.
    pub recovery_actions: Vec<String>,
    /// Path of the file or folder under review.
    pub path: String,
    /// The round whose artifact is on disk, where rounds were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<BestRound>,
    /// How the last call of the applier ended, if that is why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applier_error: Option<AgentError>,
}

/// The best round of a loop that did not pass, of equal ones the latest: its artifact is on
/// disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BestRound {
    /// Its number, from 1.
    pub iteration: u32,
    /// Its rank in words.
    pub standing: String,
    /// Whether files were restored for it.
    pub restored: bool,
    /// Files that another process changed, which were not restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// Payload of `spec.review.malformed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewMalformed {
    /// The end of the answer.
    pub raw_output: String,
    /// Hash of the whole answer.
    pub raw_output_hash: Hash,
    /// Why it is malformed, or what shows that its prompt did not arrive.
    pub parse_error: String,
    /// Number of the malformed answer within its round, from 1.
    pub retry_number: u32,
}

/// Payload of `spec.review.reviewer_failed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewerFailed {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the call ended.
    pub error: AgentError,
}

closed_list! {
    /// The role of an agent in a call.
    AgentRole {
        /// Reviews the artifact.
        Reviewer => "reviewer",
        /// Applies feedback.
        Applier => "applier",
        /// Implements a task.
        Implementer => "implementer",
    }
}

/// Payload of `agent.call_ended`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CallEnded {
    /// The role of the agent.
    pub role: AgentRole,
    /// The task that it is about; left out for the review of an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskNumber>,
    /// Number of the round, or of the attempt at a task, from 1.
    pub iteration: u32,
    /// The model that answered; `null` when there was no answer.
    pub by: Option<ModelId>,
    /// The usage of the call; `null` when it is unknown.
    pub usage: Option<Usage>,
    /// How long its step took, in milliseconds.
    pub took_ms: u64,
}

/// Payload of `agent.call_started`: an agent is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CallStarted {
    /// Name of the step.
    pub step: String,
    /// The role of the agent.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Whether it is called again because its answer was malformed.
    pub asked_again: bool,
    /// The agent: a backend, with the program of `cmd`.
    pub agent: String,
    /// The model that it is asked for; `null` when the agent chooses.
    pub model: Option<String>,
    /// The time that the call has, in milliseconds; `null` without a limit.
    pub time_limit_ms: Option<u64>,
    /// The longest silence of the call, in milliseconds; `null` without a limit.
    pub idle_limit_ms: Option<u64>,
}

/// Payload of `agent.activity`: what an agent did so far in a call. Only the most
/// recent state is reported, and only while someone watches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentActivity {
    /// Name of the step.
    pub step: String,
    /// The role of the agent.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The model, once the agent has named it.
    pub model: Option<String>,
    /// Its last use of a tool; `null` before the first.
    pub action: Option<AgentAction>,
    /// The last line of what it said or printed, at most 1 KiB; `null` before the first.
    pub says: Option<String>,
    /// Whether it said that after its last use of a tool.
    pub says_last: bool,
    /// What the call consumed so far; `null` when it is unknown.
    pub usage: Option<Usage>,
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentAction {
    /// What the tool does.
    pub kind: ActionKind,
    /// The file, the command, or the name of the tool, at most 1 KiB.
    pub target: String,
}

closed_list!(
    /// What a tool does.
    ActionKind {
        /// Reads a file.
        Reads => "reads",
        /// Edits a file.
        Edits => "edits",
        /// Runs a command.
        Runs => "runs",
        /// Anything else.
        Uses => "uses",
    }
);

/// Payload of `agent.answered`: the content of an agent's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AgentAnswered {
    /// Name of the step.
    pub step: String,
    /// The role of the agent.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// The content, at most 16 KiB of it.
    pub text: String,
    /// Whether the start of the content was left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Payload of `agent.call_retried`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CallRetried {
    /// The role of the agent.
    pub role: AgentRole,
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the call ended.
    pub error: AgentError,
    /// Milliseconds until the retry.
    pub pause_ms: u64,
}

/// Payload of `agent.reviewer_replaced`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReviewerReplaced {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// How the last call of the previous reviewer ended.
    pub error: AgentError,
    /// The reviewer that is called now.
    pub by: String,
}

closed_list!(
    /// A rule for the wording of feedback.
    WordingRule {
        /// An issue must name a specific problem.
        IssueVague => "issue.vague",
        /// A suggestion must request a change, not advise one.
        ActionAdvisory => "action.advisory",
    }
);

/// An item of feedback that violates a rule for its wording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct VagueItem {
    /// Position of the item in the feedback, from 0.
    pub item: u32,
    /// The rule.
    pub rule: WordingRule,
    /// The phrase, as the rule lists it.
    pub phrase: String,
}

closed_list!(
    /// The final state of a task.
    TaskState {
        /// Its command passed.
        Passed => "passed",
        /// An agent's work on it passed and is on the lane, not on the target branch.
        OnLane => "on_lane",
        /// An agent's work on it passed and is on the target branch.
        Landed => "landed",
        /// No attempt of an agent was accepted, and there are no further ones.
        Parked => "parked",
        /// A user has to decide on the change of an agent.
        Held => "held",
        /// Its command ended with a failure, or the artifact changed while it ran.
        Failed => "failed",
        /// Its command exceeded the time limit.
        TimedOut => "timed_out",
        /// Its command passed and ran no test at all.
        NoTests => "no_tests",
        /// Its command passed, and a test that the task lists did not run and pass.
        TestsMissing => "tests_missing",
        /// It has no command.
        NoCommand => "no_command",
        /// A dependency did not pass.
        Skipped => "skipped",
        /// The run ended before it started.
        NotRun => "not_run",
    }
);

impl TaskState {
    /// Returns whether the task is done in the tree of the user.
    pub const fn is_done(self) -> bool {
        matches!(self, Self::Passed | Self::Landed)
    }

    /// Returns whether the tasks that depend on it may start.
    pub const fn meets_dependency(self) -> bool {
        matches!(self, Self::Passed | Self::OnLane | Self::Landed)
    }
}

closed_list!(
    /// Why an attempt of an agent at a task was not accepted.
    AttemptCode {
        /// The command of the task, or a test that it lists, did not run and pass on the
        /// merged tree.
        GateRed => "gate_red",
        /// The agent changed no file.
        NoChange => "no_change",
        /// A file cannot become part of a commit as it is.
        FileRefused => "file_refused",
        /// The agent failed while it worked, or its call exceeded a limit.
        AgentFailed => "agent_failed",
        /// The agent could not be called.
        AgentUnavailable => "agent_unavailable",
        /// The agent asked a question.
        Question => "question",
        /// The commands that prepare a checkout failed.
        SetupFailed => "setup_failed",
        /// The change conflicts with the work of another task in the same lines, or its
        /// resolution of that is wrong.
        TextConflict => "text_conflict",
        /// The command passes on the task's own tree and fails with the work of other tasks.
        SemanticConflict => "semantic_conflict",
        /// The command fails once the changed tests are restored.
        TamperTest => "tamper_test",
        /// Tests that the command ran before are gone.
        TestsGone => "tests_gone",
        /// Tests that the command ran before are skipped.
        TestsSkipped => "tests_skipped",
        /// New tests pass without the change.
        GateNotRed => "gate_not_red",
        /// The command passes only with another configuration of its test runner.
        RunnerChanged => "runner_changed",
        /// Only tests fail that failed before any work.
        BaselineRed => "baseline_red",
        /// The review of the change ended without a pass.
        ChangeRejected => "change_rejected",
        /// The review of the change gave no answer that counts.
        ReviewFailed => "review_failed",
        /// The resolution of a conflict is not both sides and nothing else.
        ResolutionDiffers => "resolution_differs",
    }
);

closed_list!(
    /// What is remarkable about an accepted change.
    ChangeFlag {
        /// The command failed once and passed on the same tree.
        FlakyPass => "flaky_pass",
        /// The user's files or repository changed while the agent worked without a sandbox.
        CheckoutChanged => "checkout_changed",
        /// The agent left processes running, which were ended.
        LeftRunning => "left_running",
        /// The command passed before the agent worked.
        GreenBeforeWork => "green_before_work",
        /// Files that agents may not change were left as they were.
        TamperConfig => "tamper_config",
        /// Tests, or what configures their runner, were removed, skipped or changed, or new
        /// tests pass without the change.
        TestsChanged => "tests_changed",
    }
);

/// What is remarkable about an accepted change, with the details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FlaggedChange {
    /// What it is.
    pub code: ChangeFlag,
    /// The details in words.
    pub reason: String,
}

/// Payload of `task.started`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskStarted {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its commands, one per line.
    pub command: String,
    /// The number of tasks of its unit.
    pub tasks: usize,
}

/// Payload of `task.finished`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskFinished {
    /// Number of the task.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: TaskState,
    /// The number of tests that ran; `None` when no known runner reported any.
    pub tests_run: Option<u64>,
    /// The results of the tests that the task lists; `None` when it lists none
    /// or its command did not pass.
    pub must_pass: Option<MustPass>,
    /// How long the command took, in milliseconds.
    pub took_ms: u64,
    /// Whether an earlier recorded run was reused.
    pub cached: bool,
    /// Whether the command changed the tree in which it ran.
    pub changed_tree: bool,
    /// The error in words; empty without one.
    pub reason: String,
    /// The end of the command's output, when it did not pass.
    pub tail: String,
    /// Path of the log with all its output, if it ran.
    pub log: Option<String>,
    /// The tasks it depends on that did not pass, if it was skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because_of: Vec<TaskNumber>,
}

/// Payload of `task.status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskStatusSet {
    /// Number of the task.
    pub task: TaskNumber,
    /// Path of its file, relative to the root.
    pub path: String,
    /// The status that it has now, or should have.
    pub status: TaskStatus,
    /// Why it was not written, in words; absent where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// Payload of `task.attempted`: an attempt of an agent at a task was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskAttempted {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Why it was not accepted.
    pub code: AttemptCode,
    /// The reason in words.
    pub reason: String,
    /// The names of the first tests that the reason is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// The end of the output, if a command ran.
    pub tail: String,
    /// The number of files that the agent changed.
    pub files: u32,
    /// The model that worked; `null` when it is unknown.
    pub by: Option<ModelId>,
    /// Milliseconds until the same attempt goes on; `null` when it is over.
    pub retry_in_ms: Option<u64>,
}

/// Payload of `task.reviewed`: the change of an agent was reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskReviewed {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// The model that reviewed; `null` when it is unknown.
    pub by: Option<ModelId>,
    /// The review, as a round of a loop of its own.
    pub review: ReviewIteration,
}

/// Payload of `task.on_lane`: the change of an agent is on the lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskOnLane {
    /// Number of the task.
    pub task: TaskNumber,
    /// Number of the attempt that was accepted, from 1.
    pub attempt: u32,
    /// The commit on the lane.
    pub commit: String,
    /// What is remarkable about it.
    pub flags: Vec<FlaggedChange>,
    /// The approval of a user; `null` where it needed none.
    pub approved: Option<Approval>,
    /// The files that agents may not change and that were restored.
    pub restored: Vec<String>,
}

/// The approval of a change by a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Approval {
    /// The user.
    pub by: String,
    /// Why.
    pub why: String,
}

/// Payload of `lane.opened`: agents can start to work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LaneOpened {
    /// What keeps them from files outside of their checkouts.
    pub sandbox: SandboxKind,
    /// Why no sandbox works; empty where one does or none is asked for.
    pub reason: String,
}

/// Payload of `lane.landed`: the work of agents is on the target branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LaneLanded {
    /// The branch.
    pub branch: String,
    /// Its commit.
    pub commit: String,
    /// The tasks whose work it has.
    pub tasks: Vec<TaskNumber>,
    /// The tasks whose commands failed once and passed on the same tree.
    pub flaky: Vec<TaskNumber>,
    /// Whether the command of `lane.check` failed once and passed on the same tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky_check: bool,
}

/// Payload of `lane.not_landed`: the work of agents is on the lane only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LaneNotLanded {
    /// Why.
    pub code: LandCode,
    /// The reason in words.
    pub reason: String,
    /// The tasks whose work is on the lane.
    pub tasks: Vec<TaskNumber>,
}
