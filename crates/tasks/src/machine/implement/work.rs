//! The work of agents at one task: a machine of its own, inside that of all tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use review::Subject;
use review::config::LoopConfig;
use review::events::{Approval, AttemptCode, ChangeFlag, FlaggedChange, TaskState};
use review::machine::{BaseState, FailedCalls, Recovery, ReviewOp, ReviewOut};
use review_flow::{StepName, StepRecord, jitter};
use review_lane::{AccountCode, AccountEntry, CommitId, RevertCheck, TestsChanged, TreeId};
use review_types::{AgentError, BlockCode, Failure, Hash, ModelId, Timestamp, UnitId, plural};

use super::Tip;
use super::gating::{GatePolicy, GateTrees, GateVerdict, Gating, red_code, red_reason};
use super::landing::Broken;
use super::ledger::Ledger;
use super::reviewing::{CHANGE_FILE, ChangeReview, ReviewNext, ReviewedRound};
use crate::machine::lane::{
    Change, GateKind, LaneOp, LaneOptions, LaneOut, Rejected, Says, Worked,
};
use crate::machine::notice::{Attempted, OnLane, Reviewed, TaskNotice};
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// The work of agents at one task.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// The number of attempts that started, over all resumes.
    attempt: u32,
    /// The attempts since the last resume that were not accepted.
    rejected: u32,
    /// The returns because of the work of others since the last resume.
    returned: u32,
    /// The repetitions of this attempt.
    retried: u32,
    /// The failed calls of this attempt.
    failed: FailedCalls,
    /// The runs of the command, the checkouts and the calls of this attempt.
    gates: u32,
    checkouts: u32,
    calls: u32,
    /// The steps of the review in this attempt.
    reviews: u32,
    /// The result of its command before any work, if it passed.
    green: Option<Ran>,
    /// The position of the commit of the lane on which it ran then.
    started_at: usize,
    last: Option<Rejected>,
    /// The last snapshot that is not on the lane.
    change: Option<Change>,
    /// The change that is merged with other work in the checkout, until that is accounted
    /// for.
    resolves: Option<Change>,
    /// The snapshot that a user has to approve, if there is one.
    held: Option<Candidate>,
    /// The snapshot whose review gave no answer that counts.
    unreviewed: Option<Candidate>,
    /// The review of its changes, once there was one, and the hash of its last round.
    review: Option<ChangeReview>,
    last_review: Option<Hash>,
    /// The approval of the last change.
    approval: Option<Approval>,
    stage: Stage,
}

/// The step that is open.
#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    Idle,
    Before,
    /// With the commit that the checkout starts from, as the next.
    CheckingOut(CommitId),
    Working(CommitId),
    Pausing(CommitId),
    TakingSnapshot(CommitId, Ended, Option<ModelId>),
    /// The resolution of a conflict is looked at.
    Accounting(Candidate),
    /// It waits until the change of another task is on the lane or rejected.
    Queued(Candidate),
    Merging(Candidate),
    Gating(Candidate, Gating),
    /// The text for its review is written.
    WritingChange(Accepted),
    Reviewing(Accepted, BaseState),
    ReviewPausing(Accepted, BaseState),
    Advancing(Accepted),
}

/// How the work in a checkout ended.
#[derive(Clone, Debug)]
enum Ended {
    Done { is_satisfied: bool },
    Stopped { code: AttemptCode, reason: String },
}

/// A snapshot that may be merged.
#[derive(Clone, Debug)]
struct Candidate {
    change: Change,
    tree: TreeId,
    files: u32,
    restored: Vec<String>,
    by: Option<ModelId>,
}

/// A snapshot whose merged tree its command accepts.
#[derive(Clone, Debug)]
struct Accepted {
    candidate: Candidate,
    tree: TreeId,
    flags: Vec<FlaggedChange>,
    ran: Ran,
}

/// What a step of the work needs to know.
pub(super) struct WorkContext<'a> {
    pub(super) options: &'a LaneOptions,
    pub(super) unit: &'a UnitId,
    pub(super) task: &'a PlannedTask,
    /// Whether its file claims that it is complete.
    pub(super) is_claimed: bool,
    /// Whether an earlier change of it is on the lane.
    pub(super) is_on_lane: bool,
    pub(super) tip: &'a Tip,
    /// The position of the tip on the lane.
    pub(super) position: usize,
    /// The names of tests that are known of each command.
    pub(super) known: &'a mut KnownTests,
    pub(super) now: Timestamp,
    /// The number of resumes, which the names of steps have.
    pub(super) resume: u32,
    pub(super) notices: &'a mut Vec<TaskNotice>,
    pub(super) ledger: &'a mut Ledger,
}

/// The hash of the names of tests that are known of each command.
pub(super) type KnownTests = BTreeMap<Vec<String>, Hash>;

impl WorkContext<'_> {
    /// Notes the tests that the command of the task ran on what is on the lane.
    fn note_tests(&mut self, ran: &Ran) {
        if let Some(tests) = &ran.tests {
            let commands = self.task.commands.clone();
            self.known.insert(commands, tests.names);
        }
    }
}

/// What follows for a task.
#[derive(Clone, Debug)]
pub(super) enum WorkNext {
    /// Run an operation.
    Do(String, LaneOp),
    /// Pause before the step of this name.
    Wait(String, Duration),
    /// Its change waits for its turn to be merged.
    Queued,
    /// Its change is on the lane.
    OnLane(Tip, Ran, OnLane),
    /// Its command passes without a change.
    Passed(Ran),
    /// There are no further attempts.
    Parked {
        state: TaskState,
        reason: String,
        ran: Ran,
    },
    /// It would need a call of its agent, and the run has none left.
    OutOfBudget,
    /// The result belongs to no open step.
    Unexpected,
}

/// How an attempt with a code is followed.
enum Follows {
    /// By another attempt, as long as some are left.
    Attempt,
    /// By another attempt, counted as a return because of the work of others.
    Return,
    /// By none.
    Nothing,
}

const fn follows(code: AttemptCode) -> Follows {
    match code {
        AttemptCode::GateRed
        | AttemptCode::GateTimeout
        | AttemptCode::NoTests
        | AttemptCode::TestsMissing
        | AttemptCode::NoChange
        | AttemptCode::NestedRepository
        | AttemptCode::SubmoduleChanged
        | AttemptCode::EscapingLink
        | AttemptCode::UnreadableFile
        | AttemptCode::TooLarge
        | AttemptCode::ChangeRejected
        | AttemptCode::AgentFailed => Follows::Attempt,
        AttemptCode::TextConflict | AttemptCode::SemanticConflict | AttemptCode::DroppedName => {
            Follows::Return
        }
        AttemptCode::AgentUnavailable
        | AttemptCode::Question
        | AttemptCode::SetupFailed
        | AttemptCode::TamperTest
        | AttemptCode::TestsGone
        | AttemptCode::TestsSkipped
        | AttemptCode::GateNotRed
        | AttemptCode::BaselineRed
        | AttemptCode::ReviewBlocked
        | AttemptCode::ReviewFailed
        | AttemptCode::DroppedLine
        | AttemptCode::UndoneDeletion
        | AttemptCode::SameName
        | AttemptCode::ForeignText
        | AttemptCode::Outside => Follows::Nothing,
    }
}

/// Returns the code of an attempt whose agent failed: one that worked may do better
/// next time.
const fn code_of(failure: &Failure) -> AttemptCode {
    match failure {
        Failure::Failed { .. }
        | Failure::Killed { .. }
        | Failure::Hung { .. }
        | Failure::Truncated
        | Failure::EmptyAnswer
        | Failure::ProtocolError
        | Failure::TooLarge { .. } => AttemptCode::AgentFailed,
        Failure::RateLimited { .. }
        | Failure::PermissionDenied
        | Failure::Offline { .. }
        | Failure::AuthFailed
        | Failure::ModelError { .. }
        | Failure::Refused
        | Failure::SpawnFailed { .. }
        | Failure::SetupFailed
        | Failure::WrongAgent { .. }
        | Failure::Unread
        | Failure::ReviewerWrote { .. } => AttemptCode::AgentUnavailable,
    }
}

/// Returns the code of an attempt whose review ended without a pass.
const fn code_of_review(code: BlockCode) -> AttemptCode {
    match code {
        BlockCode::MaxIterations => AttemptCode::ChangeRejected,
        BlockCode::BelowMinimum
        | BlockCode::NoChange
        | BlockCode::Stagnated
        | BlockCode::Oscillation
        | BlockCode::Disputed
        | BlockCode::NoBlockingFinding
        | BlockCode::UnprovedFindings
        | BlockCode::Escalated => AttemptCode::ReviewBlocked,
        BlockCode::Malformed
        | BlockCode::Unread
        | BlockCode::ReviewerFailed
        | BlockCode::ApplierFailed
        | BlockCode::RateLimited
        | BlockCode::Offline
        | BlockCode::ArtifactChanged
        | BlockCode::OutOfScopeChange
        | BlockCode::NothingChecked
        | BlockCode::Calls
        | BlockCode::Tokens
        | BlockCode::Cost
        | BlockCode::RunTime
        | BlockCode::TaskFailed
        | BlockCode::TestsChanged
        | BlockCode::NotLanded
        | BlockCode::LeakMain
        | BlockCode::DiskFloor => AttemptCode::ReviewFailed,
    }
}

/// An attempt whose checkout, or that of its gate, could not be prepared.
fn setup_failed(ran: Ran) -> Refusal {
    let reason = not_prepared(&ran);
    Refusal {
        ran,
        ..Refusal::of(AttemptCode::SetupFailed, reason)
    }
}

/// Why a checkout could not be prepared.
pub(super) fn not_prepared(ran: &Ran) -> String {
    let failure = ran.failure.as_ref();
    let failure = failure.map_or_else(String::new, ToString::to_string);
    format!("the commands that prepare its checkout failed: {failure}")
}

/// An attempt that is not accepted.
struct Refusal {
    code: AttemptCode,
    reason: String,
    files: u32,
    by: Option<ModelId>,
    ran: Ran,
    /// Hash of the feedback of a review, if there was one.
    feedback: Option<Hash>,
    /// The snapshot that is refused, if there is one.
    candidate: Option<Candidate>,
}

impl Refusal {
    fn of(code: AttemptCode, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            files: 0,
            by: None,
            ran: Ran::default(),
            feedback: None,
            candidate: None,
        }
    }

    fn red(code: AttemptCode, ran: Ran) -> Self {
        let reason = red_reason(code, &ran);
        Self {
            ran,
            ..Self::of(code, reason)
        }
    }

    /// Adds the snapshot that is refused.
    fn with(self, candidate: Candidate) -> Self {
        Self {
            files: candidate.files,
            by: candidate.by.clone(),
            candidate: Some(candidate),
            ..self
        }
    }
}

impl Work {
    /// Returns the work with new attempts, for a resumed run. A change whose review was cut
    /// off is reviewed as it is.
    pub(super) fn resumed(mut self) -> Self {
        let unreviewed = match self.stage {
            Stage::WritingChange(accepted)
            | Stage::Reviewing(accepted, _)
            | Stage::ReviewPausing(accepted, _) => Some(accepted.candidate),
            _ => self.unreviewed,
        };
        if let Some(review) = &mut self.review {
            review.cut();
        }
        Self {
            unreviewed,
            review: self.review,
            last_review: self.last_review,
            attempt: self.attempt,
            last: self.last,
            change: self.change,
            resolves: self.resolves,
            held: self.held,
            approval: self.approval,
            ..Self::default()
        }
    }

    /// Accepts the change that a user has to approve.
    pub(super) fn approve(&mut self, approval: Approval) {
        self.approval = Some(approval);
    }

    /// Returns whether its last attempt changed tests.
    pub(super) fn is_tampered(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.code.tampers())
    }

    /// Returns the approval of its last change, if there is one.
    pub(super) const fn approval(&self) -> Option<&Approval> {
        self.approval.as_ref()
    }

    /// Starts with a look at whether there is anything to do; an approved change goes on
    /// as it is.
    pub(super) fn start(&mut self, context: &WorkContext<'_>) -> WorkNext {
        let approved = self.held.take().filter(|_| self.approval.is_some());
        if let Some(candidate) = approved.or_else(|| self.unreviewed.take()) {
            self.stage = Stage::Queued(candidate);
            return WorkNext::Queued;
        }
        self.stage = Stage::Before;
        self.started_at = context.position;
        self.gates = 0;
        self.gate(
            context,
            self.attempt + 1,
            context.tip.tree.clone(),
            GateKind::Before,
        )
    }

    /// Returns whether its change is being merged and gated.
    pub(super) const fn is_integrating(&self) -> bool {
        matches!(
            self.stage,
            Stage::Merging(_)
                | Stage::Gating(..)
                | Stage::WritingChange(_)
                | Stage::Reviewing(..)
                | Stage::ReviewPausing(..)
                | Stage::Advancing(_)
        )
    }

    /// Merges its change into the tip, in its turn.
    pub(super) fn merge(&mut self, context: &WorkContext<'_>) -> WorkNext {
        let Stage::Queued(candidate) = std::mem::take(&mut self.stage) else {
            return WorkNext::Unexpected;
        };
        let op = LaneOp::Merge {
            task: context.task.number,
            change: candidate.change.clone(),
            tip: context.tip.commit.clone(),
            may_change: context.task.may_change.clone(),
        };
        self.stage = Stage::Merging(candidate);
        WorkNext::Do(format!("merge.{}", self.attempt), op)
    }

    /// Takes in that its change broke a command.
    pub(super) fn on_broke(&mut self, context: &mut WorkContext<'_>, broken: Broken) -> WorkNext {
        self.green = None;
        let refusal = Refusal::of(AttemptCode::SemanticConflict, broken.reason());
        let ran = broken.ran;
        self.refuse(context, Refusal { ran, ..refusal })
    }

    /// Goes on after a pause.
    pub(super) fn on_waited(&mut self, context: &mut WorkContext<'_>) -> WorkNext {
        match std::mem::take(&mut self.stage) {
            Stage::Pausing(base) => self.call(context, base),
            Stage::ReviewPausing(accepted, base) => {
                let now = context.now;
                let next = self.review.as_mut().map(|review| review.on_waited(now));
                self.follow_review(context, (accepted, base), next)
            }
            _ => WorkNext::Unexpected,
        }
    }

    /// The position of the commit of the lane on which its command ran before any work.
    pub(super) const fn started_at(&self) -> usize {
        self.started_at
    }

    /// The number of the attempt that is under way, or was last.
    pub(super) const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Takes in the result of its open step.
    pub(super) fn on_result(
        &mut self,
        context: &mut WorkContext<'_>,
        record: StepRecord<LaneOut>,
    ) -> WorkNext {
        let (out, record) = record.split();
        match (std::mem::take(&mut self.stage), out) {
            (Stage::Before, LaneOut::Gated(ran)) => self.on_gated_before(context, ran),
            // The checkout of its agent fails as well, or nothing is known from before.
            (Stage::Before, LaneOut::SetupFailed(_)) => self.begin(context),
            (Stage::Gating(candidate, _), LaneOut::SetupFailed(ran)) => {
                let refusal = setup_failed(ran).with(candidate);
                self.refuse(context, refusal)
            }
            (Stage::CheckingOut(base), LaneOut::CheckedOut) => self.call(context, base),
            (Stage::CheckingOut(base), LaneOut::SetupFailed(ran)) => {
                self.on_setup_failed(context, base, ran)
            }
            (Stage::Working(base), LaneOut::Worked(worked)) => {
                self.on_worked(context, base, worked, record.by)
            }
            (
                Stage::TakingSnapshot(base, ended, by),
                LaneOut::Snapshot {
                    commit,
                    tree,
                    files,
                    fault,
                    restored,
                },
            ) => {
                let candidate = Candidate {
                    change: Change { base, commit },
                    tree,
                    files,
                    restored,
                    by,
                };
                let fault = fault.map(|fault| Refusal::of(fault.code, fault.reason));
                self.on_snapshot(context, candidate, ended, fault)
            }
            (Stage::Accounting(candidate), LaneOut::Accounted { entries, more }) => {
                match accounted(&entries, more) {
                    Some(refusal) => self.refuse(context, refusal.with(candidate)),
                    None => {
                        self.resolves = None;
                        self.stage = Stage::Queued(candidate);
                        WorkNext::Queued
                    }
                }
            }
            (
                Stage::Merging(candidate),
                LaneOut::Merged {
                    tree,
                    protected,
                    reverted,
                },
            ) => {
                let trees = GateTrees {
                    own: candidate.tree.clone(),
                    merged: tree,
                    protected,
                    reverted,
                };
                let gating = Gating::new(trees, self.gate_policy(context.options));
                self.gate_merged(context, candidate, gating)
            }
            (Stage::Merging(candidate), LaneOut::Conflicts { paths, .. }) => {
                let reason = format!(
                    "its change conflicts with the work of other tasks: {}",
                    paths.join(", ")
                );
                let refusal = Refusal::of(AttemptCode::TextConflict, reason);
                self.refuse(context, refusal.with(candidate))
            }
            (Stage::Gating(candidate, gating), LaneOut::Gated(ran)) => {
                self.on_gated(context, candidate, gating, ran)
            }
            (Stage::WritingChange(accepted), LaneOut::ChangeWritten { base }) => {
                self.review_change(context, accepted, base)
            }
            (Stage::Reviewing(accepted, base), LaneOut::Reviewed(out)) => {
                let record = record.map(|()| *out);
                self.on_reviewed(context, (accepted, base), record)
            }
            (Stage::Reviewing(accepted, _), LaneOut::Feedback { text, items, first }) => {
                if let Some(review) = &mut self.review {
                    review.apply_later();
                }
                let items = plural(items as usize, "item", "items");
                let reason =
                    format!("the review of its change asks for a revision, with {items}: {first}");
                let refusal = Refusal {
                    feedback: Some(text),
                    ran: accepted.ran,
                    ..Refusal::of(AttemptCode::ChangeRejected, reason)
                };
                self.refuse(context, refusal.with(accepted.candidate))
            }
            (Stage::Advancing(accepted), LaneOut::Advanced { tip, tree }) => {
                let Accepted {
                    candidate,
                    flags,
                    ran,
                    ..
                } = accepted;
                context.note_tests(&ran);
                let on_lane = OnLane {
                    task: context.task.number,
                    attempt: self.attempt,
                    commit: tip.clone(),
                    flags: self.all_flags(flags, &candidate.restored),
                    approval: self.approval.clone(),
                    restored: candidate.restored,
                };
                self.change = None;
                self.resolves = None;
                self.last = None;
                WorkNext::OnLane(Tip { commit: tip, tree }, ran, on_lane)
            }
            _ => WorkNext::Unexpected,
        }
    }

    /// Returns all that is remarkable about a change.
    fn all_flags(&self, mut flags: Vec<FlaggedChange>, restored: &[String]) -> Vec<FlaggedChange> {
        if self.green.is_some() {
            flags.push(FlaggedChange {
                code: ChangeFlag::GreenBefore,
                reason: "its command passed before the agent worked".to_owned(),
            });
        }
        if !restored.is_empty() {
            flags.push(FlaggedChange {
                code: ChangeFlag::TamperConfig,
                reason: format!("restored: {}", restored.join(", ")),
            });
        }
        flags
    }

    fn on_gated_before(&mut self, context: &mut WorkContext<'_>, ran: Ran) -> WorkNext {
        context.note_tests(&ran);
        let is_green = ran.failure.is_none();
        if is_green && (context.is_claimed || context.is_on_lane) {
            return WorkNext::Passed(ran);
        }
        if is_green {
            self.green = Some(ran);
        } else if self.last.is_none() {
            let code = red_code(&ran);
            self.last = Some(Rejected {
                code,
                reason: red_reason(code, &ran),
                tail: ran.tail,
            });
        }
        self.begin(context)
    }

    /// Begins an attempt with a new checkout of the tip.
    fn begin(&mut self, context: &mut WorkContext<'_>) -> WorkNext {
        if !context.ledger.has_more() {
            return WorkNext::OutOfBudget;
        }
        self.attempt += 1;
        self.approval = None;
        self.held = None;
        self.retried = 0;
        self.failed = FailedCalls::default();
        self.checkouts = 0;
        self.calls = 0;
        self.reviews = 0;
        self.check_out(context, context.tip.commit.clone())
    }

    fn check_out(&mut self, context: &WorkContext<'_>, base: CommitId) -> WorkNext {
        self.checkouts += 1;
        if self.resolves.is_none() {
            let merged = self.change.clone();
            self.resolves = merged.filter(|change| change.base != base);
        }
        let op = LaneOp::Checkout {
            task: context.task.number,
            attempt: self.attempt,
            base: base.clone(),
            change: self.change.clone(),
        };
        self.stage = Stage::CheckingOut(base);
        WorkNext::Do(numbered("checkout", self.attempt, self.checkouts), op)
    }

    fn on_setup_failed(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        ran: Ran,
    ) -> WorkNext {
        let refusal = setup_failed(ran);
        if self.retried >= context.options.retries {
            return self.refuse(context, refusal);
        }
        self.retried += 1;
        self.tell(context, &refusal, Some(Duration::ZERO));
        self.check_out(context, base)
    }

    /// Calls the agent in the checkout.
    fn call(&mut self, context: &mut WorkContext<'_>, base: CommitId) -> WorkNext {
        let Some(allowance) = context.ledger.reserve(context.task.number) else {
            if self.calls == 0 {
                self.attempt -= 1;
            }
            return WorkNext::OutOfBudget;
        };
        self.calls += 1;
        let op = LaneOp::Work {
            task: context.task.clone(),
            attempt: self.attempt,
            last: self.last.clone(),
            allowance,
        };
        self.stage = Stage::Working(base);
        WorkNext::Do(numbered("work", self.attempt, self.calls), op)
    }

    fn on_worked(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        worked: Worked,
        by: Option<ModelId>,
    ) -> WorkNext {
        let ended = match worked {
            Worked::Done { says: Says::Done } => Ended::Done {
                is_satisfied: false,
            },
            Worked::Done {
                says: Says::AlreadySatisfied,
            } => Ended::Done { is_satisfied: true },
            Worked::Done {
                says: Says::Question { text },
            } => Ended::Stopped {
                code: AttemptCode::Question,
                reason: text,
            },
            Worked::Done {
                says: Says::Unusable { reason },
            } => Ended::Stopped {
                code: AttemptCode::AgentFailed,
                reason,
            },
            // Its files say what it did.
            Worked::Failed(error) if error.failure == Failure::EmptyAnswer => Ended::Done {
                is_satisfied: false,
            },
            Worked::Failed(error) => match self.pause(context, &error) {
                Some(pause) => return self.call_again(context, base, error, by, pause),
                None => Ended::Stopped {
                    code: code_of(&error.failure),
                    reason: error.message,
                },
            },
        };
        let op = LaneOp::Snapshot {
            task: context.task.clone(),
            attempt: self.attempt,
            base: base.clone(),
        };
        self.stage = Stage::TakingSnapshot(base, ended, by);
        WorkNext::Do(format!("snapshot.{}", self.attempt), op)
    }

    /// Returns the pause after which a failed agent is called again, if it is.
    fn pause(&mut self, context: &WorkContext<'_>, error: &AgentError) -> Option<Duration> {
        let options = context.options;
        let path = numbered("work", self.attempt, self.calls + 1);
        let path = format_args!("{}/{path}", context.task.number);
        let step = StepName::new("task", context.resume, path);
        let spread = jitter(&options.seed, &step);
        let recovery = self
            .failed
            .recovery(&error.failure, context.now, options.max_wait, spread);
        match recovery {
            Recovery::Again(pause) if self.retried < options.retries => Some(pause),
            Recovery::Again(_) | Recovery::Elsewhere | Recovery::End => None,
        }
    }

    fn call_again(
        &mut self,
        context: &mut WorkContext<'_>,
        base: CommitId,
        error: AgentError,
        by: Option<ModelId>,
        pause: Duration,
    ) -> WorkNext {
        self.retried += 1;
        let refusal = Refusal {
            by,
            ..Refusal::of(code_of(&error.failure), error.message)
        };
        self.tell(context, &refusal, Some(pause));
        if pause.is_zero() {
            return self.call(context, base);
        }
        self.stage = Stage::Pausing(base);
        WorkNext::Wait(numbered("work", self.attempt, self.calls + 1), pause)
    }

    fn on_snapshot(
        &mut self,
        context: &mut WorkContext<'_>,
        candidate: Candidate,
        ended: Ended,
        fault: Option<Refusal>,
    ) -> WorkNext {
        let is_changed = candidate.files > 0;
        self.change = is_changed.then(|| candidate.change.clone());
        let refusal = match (ended, fault) {
            (Ended::Stopped { code, reason }, _) => Refusal::of(code, reason),
            (Ended::Done { .. }, Some(fault)) => fault,
            (Ended::Done { .. }, None) if is_changed => return self.account(context, candidate),
            (Ended::Done { is_satisfied: true }, None) => match self.green.take() {
                Some(ran) => return WorkNext::Passed(ran),
                None => Refusal::of(
                    AttemptCode::NoChange,
                    "the agent changed no file and says that none has to be changed, but the \
                     command of the task does not pass",
                ),
            },
            (
                Ended::Done {
                    is_satisfied: false,
                },
                None,
            ) => Refusal::of(AttemptCode::NoChange, "the agent changed no file"),
        };
        self.refuse(context, refusal.with(candidate))
    }

    /// Returns what follows from its tests; what a user approved is not asked again.
    fn gate_policy(&self, options: &LaneOptions) -> GatePolicy {
        let is_approved = self.approval.is_some();
        GatePolicy {
            tests_changed: match is_approved {
                true => TestsChanged::Allow,
                false => options.tests_changed,
            },
            inherited: options.inherited,
            revert_check: match options.revert_check {
                RevertCheck::Require if is_approved => RevertCheck::Ask,
                check => check,
            },
        }
    }

    /// Accounts for a conflict that the agent had to resolve, if it had to; then its change
    /// waits to be merged.
    fn account(&mut self, context: &WorkContext<'_>, candidate: Candidate) -> WorkNext {
        let Some(change) = self.resolves.clone() else {
            self.stage = Stage::Queued(candidate);
            return WorkNext::Queued;
        };
        let op = LaneOp::Account {
            task: context.task.number,
            change,
            tip: candidate.change.base.clone(),
            resolved: candidate.change.commit.clone(),
        };
        self.stage = Stage::Accounting(candidate);
        WorkNext::Do(format!("account.{}", self.attempt), op)
    }

    fn gate_merged(
        &mut self,
        context: &WorkContext<'_>,
        candidate: Candidate,
        gating: Gating,
    ) -> WorkNext {
        let (tree, kind) = (gating.tree().clone(), gating.kind());
        self.stage = Stage::Gating(candidate, gating);
        self.gate(context, self.attempt, tree, kind)
    }

    fn gate(
        &mut self,
        context: &WorkContext<'_>,
        attempt: u32,
        tree: TreeId,
        kind: GateKind,
    ) -> WorkNext {
        self.gates += 1;
        let op = LaneOp::Gate {
            task: context.task.clone(),
            tree,
            kind,
            known: match kind {
                GateKind::Reverted => context.known.values().copied().collect(),
                GateKind::Before
                | GateKind::Merged
                | GateKind::Again
                | GateKind::Alone
                | GateKind::Protected
                | GateKind::Together
                | GateKind::Fresh
                | GateKind::Bisect => {
                    Vec::from_iter(context.known.get(&context.task.commands).copied())
                }
            },
        };
        WorkNext::Do(format!("gate.{attempt}.{}", self.gates), op)
    }

    fn on_gated(
        &mut self,
        context: &mut WorkContext<'_>,
        candidate: Candidate,
        mut gating: Gating,
        ran: Ran,
    ) -> WorkNext {
        match gating.on_ran(ran) {
            GateVerdict::Run => self.gate_merged(context, candidate, gating),
            GateVerdict::Rejected { code, ran } => {
                self.refuse(context, Refusal::red(code, ran).with(candidate))
            }
            GateVerdict::Accepted { ran, flags } => {
                let accepted = Accepted {
                    candidate,
                    tree: gating.merged().clone(),
                    flags,
                    ran,
                };
                match context.options.review {
                    Some(_) => self.write_change(context, accepted),
                    None => self.advance(context, accepted),
                }
            }
        }
    }

    fn advance(&mut self, context: &WorkContext<'_>, accepted: Accepted) -> WorkNext {
        let op = LaneOp::Advance {
            task: context.task.clone(),
            tip: context.tip.commit.clone(),
            tree: accepted.tree.clone(),
        };
        self.stage = Stage::Advancing(accepted);
        WorkNext::Do(format!("advance.{}", self.attempt), op)
    }

    fn write_change(&mut self, context: &WorkContext<'_>, accepted: Accepted) -> WorkNext {
        let op = LaneOp::WriteChange {
            task: context.task.clone(),
            tip: context.tip.commit.clone(),
            tree: accepted.tree.clone(),
        };
        self.stage = Stage::WritingChange(accepted);
        WorkNext::Do(format!("change.{}", self.attempt), op)
    }

    /// Has the text about the change reviewed.
    fn review_change(
        &mut self,
        context: &mut WorkContext<'_>,
        accepted: Accepted,
        base: BaseState,
    ) -> WorkNext {
        let by = accepted.candidate.by.clone();
        let next = match &mut self.review {
            Some(review) => Some(review.go_on(base, by, context.now)),
            unstarted => {
                let config = loop_of(context, by.as_ref());
                let started =
                    config.and_then(|config| ChangeReview::start(config, base, context.now));
                started.map(|(review, next)| {
                    *unstarted = Some(review);
                    next
                })
            }
        };
        self.follow_review(context, (accepted, base), next)
    }

    fn on_reviewed(
        &mut self,
        context: &mut WorkContext<'_>,
        reviewed: (Accepted, BaseState),
        record: StepRecord<ReviewOut>,
    ) -> WorkNext {
        let taken = self.review.as_mut().map(|review| review.on_result(record));
        let (next, round) = taken.unzip();
        if let Some((subject, round)) = round.flatten() {
            self.last_review = Some(round.review);
            context
                .notices
                .push(self.reviewed(context.task, (subject, round)));
        }
        self.follow_review(context, reviewed, next)
    }

    fn reviewed(&self, task: &PlannedTask, (subject, round): ReviewedRound) -> TaskNotice {
        TaskNotice::Reviewed(Box::new(Reviewed {
            task: task.number,
            attempt: self.attempt,
            subject,
            round,
        }))
    }

    /// Does what the review asks for; each call of a reviewer has its part of the budget.
    fn follow_review(
        &mut self,
        context: &mut WorkContext<'_>,
        (accepted, base): (Accepted, BaseState),
        next: Option<ReviewNext>,
    ) -> WorkNext {
        match next {
            Some(ReviewNext::Do(mut op)) => {
                if let ReviewOp::Review(args) = &mut *op {
                    let Some(allowance) = context.ledger.reserve(context.task.number) else {
                        self.unreviewed = Some(accepted.candidate);
                        return WorkNext::OutOfBudget;
                    };
                    args.allowance = allowance;
                }
                self.stage = Stage::Reviewing(accepted, base);
                let op = LaneOp::Review {
                    task: context.task.number,
                    attempt: self.attempt,
                    base,
                    op,
                };
                WorkNext::Do(self.next_review(), op)
            }
            Some(ReviewNext::Wait(delay)) => {
                self.stage = Stage::ReviewPausing(accepted, base);
                WorkNext::Wait(self.next_review(), delay)
            }
            Some(ReviewNext::Passed) => self.advance(context, accepted),
            Some(ReviewNext::Blocked { code, reason }) => {
                self.on_review_blocked(context, accepted, code, &reason)
            }
            Some(ReviewNext::Unexpected) | None => WorkNext::Unexpected,
        }
    }

    fn next_review(&mut self) -> String {
        self.reviews += 1;
        numbered("review", self.attempt, self.reviews)
    }

    /// Parks the task, or has the agent try again where rounds alone are used up. What no
    /// reviewer judged is reviewed as it is once the run is resumed.
    fn on_review_blocked(
        &mut self,
        context: &mut WorkContext<'_>,
        accepted: Accepted,
        block: BlockCode,
        reason: &str,
    ) -> WorkNext {
        let code = code_of_review(block);
        let reason = format!("the review of its change ended without a pass ({block}): {reason}");
        if code == AttemptCode::ReviewFailed {
            self.unreviewed = Some(accepted.candidate.clone());
        }
        let refusal = Refusal {
            feedback: self
                .last_review
                .filter(|_| code != AttemptCode::ReviewFailed),
            ran: accepted.ran,
            ..Refusal::of(code, reason)
        };
        self.refuse(context, refusal.with(accepted.candidate))
    }

    /// Ends the attempt, and begins another if there is one left.
    fn refuse(&mut self, context: &mut WorkContext<'_>, refusal: Refusal) -> WorkNext {
        self.tell(context, &refusal, None);
        self.last = Some(Rejected {
            code: refusal.code,
            reason: refusal.reason.clone(),
            tail: refusal.feedback.or(refusal.ran.tail),
        });
        let options = context.options;
        let goes_on = match follows(refusal.code) {
            Follows::Attempt => {
                self.rejected += 1;
                self.rejected < options.attempts.get()
            }
            Follows::Return => {
                self.returned += 1;
                self.returned <= options.returns
            }
            Follows::Nothing => false,
        };
        if goes_on {
            self.gates = 0;
            return self.begin(context);
        }
        let state = match refusal.code.holds() {
            true => TaskState::Held,
            false => TaskState::Parked,
        };
        self.held = refusal.candidate.filter(|_| refusal.code.holds());
        WorkNext::Parked {
            state,
            reason: format!("{}: {}", refusal.code, refusal.reason),
            ran: refusal.ran,
        }
    }

    /// Reports that the attempt is not accepted, or is repeated after a pause.
    fn tell(
        &self,
        context: &mut WorkContext<'_>,
        refusal: &Refusal,
        retry_after: Option<Duration>,
    ) {
        context.notices.push(TaskNotice::Attempted(Attempted {
            task: context.task.number,
            attempt: self.attempt,
            code: refusal.code,
            reason: refusal.reason.clone(),
            tail: refusal.ran.tail,
            files: refusal.files,
            by: refusal.by.clone(),
            retry_after,
        }));
    }
}

/// Returns the loop over the changes of a task by this agent.
fn loop_of(context: &WorkContext<'_>, by: Option<&ModelId>) -> Option<LoopConfig> {
    let config = LoopConfig::clone(context.options.review.as_deref()?);
    Some(LoopConfig {
        subject: Arc::new(Subject {
            recovery_actions: Vec::new(),
            ..Subject::new(
                format!("{} task {}", context.unit, context.task.number),
                context.task.path.clone(),
                CHANGE_FILE,
            )
        }),
        families: config.families.map(|families| families.written_by(by)),
        // The attempts end it before, with the feedback of each round.
        max_iterations: context.options.attempts.saturating_add(1).get(),
        ..config
    })
}

/// Returns why a resolution is not accepted, if it is not: entries that are wrong send it
/// back to the agent, others are for a user.
fn accounted(entries: &[AccountEntry], more: u32) -> Option<Refusal> {
    let first = entries.first()?;
    let code = match first.code {
        AccountCode::Markers => AttemptCode::TextConflict,
        AccountCode::DroppedName => AttemptCode::DroppedName,
        AccountCode::DroppedLine => AttemptCode::DroppedLine,
        AccountCode::UndoneDeletion => AttemptCode::UndoneDeletion,
        AccountCode::SameName => AttemptCode::SameName,
        AccountCode::ForeignText => AttemptCode::ForeignText,
        AccountCode::Outside => AttemptCode::Outside,
    };
    let entries = entries.iter();
    let named = entries.map(|entry| format!("{} `{}`", entry.code, entry.text));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reason = format!("its resolution of a conflict is not accepted as it is: {named}{more}");
    Some(Refusal::of(code, reason))
}

/// Returns the name of the `time`-th step of its kind in an attempt.
fn numbered(word: &str, attempt: u32, time: u32) -> String {
    match time {
        1 => format!("{word}.{attempt}"),
        _ => format!("{word}.{attempt}.{time}"),
    }
}
