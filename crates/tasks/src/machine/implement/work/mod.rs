//! The work of agents at one task: a machine of its own, inside that of all tasks.

mod agent;
mod before;
mod judging;
mod refusal;
mod reviews;

use std::collections::BTreeMap;
use std::time::Duration;

use review::events::{Approval, AttemptCode, ChangeFlag, FlaggedChange, TaskOnLane, TaskState};
use review::machine::{BaseState, FailedCalls};
use review_flow::StepRecord;
use review_lane::{CommitId, TreeId};
use review_types::{Hash, ModelId, Timestamp, UnitId, plural};

use self::before::{Before, Trace};
pub(super) use self::refusal::not_prepared;
use self::refusal::{Refusal, accounted, setup_failed};
use super::LaneTip;
use super::command::{CommandKey, TreeRuns};
use super::gating::Gating;
use super::landing::Broken;
use super::ledger::CallFunds;
use super::reviewing::ChangeReview;
use super::trail::Trail;
use crate::machine::lane::{Change, GateKind, LaneOp, LaneOptions, LaneOut, RejectedAttempt};
use crate::machine::notice::TaskNotice;
use crate::machine::op::Ran;
use crate::machine::plan::PlannedTask;

/// The work of agents at one task.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskWork {
    /// The number of attempts that started, over all resumes.
    pub(super) attempt: u32,
    /// The attempts since the last resume that were not accepted.
    rejected: u32,
    /// The returns because of the work of others since the last resume.
    returned: u32,
    /// The repetitions of this attempt.
    retried: u32,
    /// Which of the agents is called in this attempt.
    agent: usize,
    /// Its failed calls.
    failed: FailedCalls,
    /// The runs of the command, the checkouts and the calls of this attempt.
    gates: u32,
    checkouts: u32,
    calls: u32,
    /// The steps of the review in this attempt.
    reviews: u32,
    /// The result of its command before any work, if it passed.
    green: Option<Ran>,
    /// The tests that ran then.
    before: Before,
    /// Why it passed then, if a task made it pass by a runner file.
    turned_by: Option<String>,
    /// The runner files that its change on the lane has.
    pub(super) configured: Vec<String>,
    /// The position of the commit of the lane on which it ran then.
    pub(super) started_at: usize,
    last: Option<RejectedAttempt>,
    /// The last snapshot that is not on the lane.
    change: Option<Change>,
    /// The change that is merged with other work in the checkout, until that is accounted
    /// for.
    resolves: Option<Change>,
    /// The snapshot that a user has to approve, or did, if there is one.
    held: Option<Candidate>,
    /// The snapshot whose review gave no answer that counts.
    unreviewed: Option<Candidate>,
    /// The review of its changes, once there was one, and the hash of its last round.
    review: Option<ChangeReview>,
    last_review: Option<Hash>,
    /// What changed in the user's files or repository during this attempt.
    beside: Option<String>,
    /// Whether a call of this attempt left processes running.
    left_running: bool,
    /// The approval of the last change.
    pub(super) approval: Option<Approval>,
    stage: Stage,
}

/// The step that is open.
#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    Idle,
    Before,
    /// Its command passed before any work, and the task that made it pass is looked for.
    Tracing(Trace),
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
    /// The document for its review is written.
    WritingChange(Accepted),
    Reviewing(Accepted, BaseState),
    ReviewPausing(Accepted, BaseState),
    Advancing(Accepted),
    /// It passed without a change, and waits for its turn to be completed.
    Satisfied(Ran),
    Completing(Ran),
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
    /// The runner files that it changes.
    configured: Vec<String>,
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
    pub(super) tip: &'a LaneTip,
    pub(super) trail: &'a Trail,
    /// The names of tests that are known of each command.
    pub(super) known: &'a mut KnownTests,
    /// The runs of commands on the tip.
    pub(super) runs: &'a mut TreeRuns,
    pub(super) now: Timestamp,
    /// The number of resumes, which the names of steps have.
    pub(super) resume: u32,
    pub(super) notices: &'a mut Vec<TaskNotice>,
    pub(super) ledger: &'a mut CallFunds,
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
    /// It waits for its turn to go to the lane.
    Queued,
    /// It is on the lane.
    OnLane {
        tip: LaneTip,
        ran: Ran,
        on_lane: TaskOnLane,
        /// The position of the commit of the lane on which its command passed.
        passed_at: usize,
    },
    /// Its command passes without a change, and no commit says so.
    Passed(Ran),
    /// There are no further attempts.
    Parked {
        state: TaskState,
        reason: String,
        ran: Ran,
    },
    /// It would need a call of an agent, and no further one starts.
    NotCalled,
    /// The result belongs to no open step.
    Unexpected,
}

impl TaskWork {
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
            before: self.before,
            configured: self.configured,
            ..Self::default()
        }
    }

    /// Returns whether its last attempt made the tests that judge it weaker.
    pub(super) fn is_tampered(&self) -> bool {
        self.last
            .as_ref()
            .is_some_and(|last| refusal::tampers(last.code))
    }

    /// Starts with a look at whether there is anything to do; an approved change goes on
    /// as it is.
    pub(super) fn start(&mut self, context: &mut WorkContext<'_>) -> WorkNext {
        let approved = self.held.clone().filter(|_| self.approval.is_some());
        let unreviewed = self.unreviewed.take();
        if let Some(candidate) = approved.or(unreviewed) {
            self.stage = Stage::Queued(candidate);
            return WorkNext::Queued;
        }
        self.started_at = context.trail.end();
        self.turned_by = None;
        self.gates = 0;
        let key = CommandKey::of(context.task);
        if let Some(ran) = context.runs.last(&context.tip.tree, &key).cloned() {
            return self.on_gated_before(context, ran);
        }
        self.stage = Stage::Before;
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
                | Stage::Completing(_)
        )
    }

    /// Merges its change into the tip, in its turn; without one it is completed.
    pub(super) fn merge(&mut self, context: &WorkContext<'_>) -> WorkNext {
        let candidate = match std::mem::take(&mut self.stage) {
            Stage::Queued(candidate) => candidate,
            Stage::Satisfied(ran) => return self.complete(context, ran),
            _ => return WorkNext::Unexpected,
        };
        let op = LaneOp::Merge {
            task: context.task.clone(),
            change: candidate.change.clone(),
            tip: context.tip.commit.clone(),
            had_tests: self.before.ran_tests,
        };
        self.stage = Stage::Merging(candidate);
        WorkNext::Do(format!("merge.{}", self.attempt), op)
    }

    fn complete(&mut self, context: &WorkContext<'_>, ran: Ran) -> WorkNext {
        let op = LaneOp::Complete {
            task: context.task.clone(),
            ran: ran.clone(),
            tip: context.tip.commit.clone(),
            tree: context.tip.tree.clone(),
        };
        self.stage = Stage::Completing(ran);
        WorkNext::Do(format!("complete.{}", self.attempt), op)
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

    /// Takes in the result of its open step.
    pub(super) fn on_result(
        &mut self,
        context: &mut WorkContext<'_>,
        record: StepRecord<LaneOut>,
    ) -> WorkNext {
        let (out, record) = record.split();
        match (std::mem::take(&mut self.stage), out) {
            (Stage::Before, LaneOut::Gated(ran)) => {
                if self.started_at == context.trail.end() {
                    let key = CommandKey::of(context.task);
                    context.runs.note(&context.tip.tree, key, &ran);
                }
                self.on_gated_before(context, ran)
            }
            (Stage::Tracing(trace), LaneOut::Gated(ran)) => self.on_traced(context, trace, &ran),
            (Stage::Tracing(_), LaneOut::SetupFailed(_)) => self.begin(context),
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
            (Stage::Merging(candidate), LaneOut::Merged { trees }) => {
                let policy = self.gate_policy(context);
                let gating = Gating::new(candidate.tree.clone(), trees, policy);
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
                    configured,
                    flags,
                    ran,
                    ..
                } = accepted;
                self.configured = configured;
                context.note_tests(&ran);
                let tip = LaneTip { commit: tip, tree };
                let passed_at = context.trail.end();
                self.on_lane(context, tip, ran, flags, candidate.restored, passed_at)
            }
            (Stage::Completing(ran), LaneOut::Advanced { tip, tree }) => {
                let tip = LaneTip { commit: tip, tree };
                self.on_lane(context, tip, ran, Vec::new(), Vec::new(), self.started_at)
            }
            (Stage::Completing(ran), LaneOut::Recorded) => WorkNext::Passed(ran),
            _ => WorkNext::Unexpected,
        }
    }

    /// Ends the work with a commit on the lane.
    fn on_lane(
        &mut self,
        context: &WorkContext<'_>,
        tip: LaneTip,
        ran: Ran,
        flags: Vec<FlaggedChange>,
        restored: Vec<String>,
        passed_at: usize,
    ) -> WorkNext {
        self.change = None;
        self.resolves = None;
        self.held = None;
        self.last = None;
        WorkNext::OnLane {
            on_lane: TaskOnLane {
                task: context.task.number,
                attempt: self.attempt,
                commit: tip.commit.clone().into(),
                flags: self.all_flags(context, flags, &restored),
                approved: self.approval.clone(),
                restored,
            },
            tip,
            ran,
            passed_at,
        }
    }

    /// Returns all that is remarkable about a change.
    fn all_flags(
        &self,
        context: &WorkContext<'_>,
        mut flags: Vec<FlaggedChange>,
        restored: &[String],
    ) -> Vec<FlaggedChange> {
        if self.green.is_some() {
            flags.push(FlaggedChange {
                code: ChangeFlag::GreenBeforeWork,
                reason: self.green_reason(context),
            });
        }
        if let Some(beside) = &self.beside {
            flags.push(FlaggedChange {
                code: ChangeFlag::CheckoutChanged,
                reason: beside.clone(),
            });
        }
        if self.left_running {
            flags.push(FlaggedChange {
                code: ChangeFlag::LeftRunning,
                reason: "the agent left processes running, which were ended".to_owned(),
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
}

/// Returns the name of the `time`-th step of its kind in an attempt.
fn numbered(word: &str, attempt: u32, time: u32) -> String {
    match time {
        1 => format!("{word}.{attempt}"),
        _ => format!("{word}.{attempt}.{time}"),
    }
}
