//! The operations with which agents implement tasks on the lane of a run, and their
//! results. Hashes, names of objects and counts only.

use std::num::NonZeroU32;
use std::sync::Arc;

use review::Allowance;
use review::Budget;
use review::config::LoopConfig;
use review::events::{Approval, AttemptCode, LaneOpened};
use review::machine::{BaseState, ReviewOp, ReviewOut};
use review_flow::Seed;
use review_lane::{AccountEntry, CommitId, Pick, TestsPolicy, TreeId};
use review_types::{AgentError, BlockCode, Hash, TaskNumber};
use serde::{Deserialize, Serialize};

use super::op::Ran;
use super::plan::PlannedTask;

/// How agents implement tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneOptions {
    /// Who picks the next of several tasks that are ready.
    pub pick: Pick,
    /// The agents, in the order in which they are called: the next one where the previous one
    /// it cannot be.
    pub agents: Vec<String>,
    /// Maximum number of attempts at a task that are not accepted.
    pub attempts: NonZeroU32,
    /// Maximum number of times that one attempt is repeated because it could not be made.
    pub retries: u32,
    /// What follows when a change weakens the tests that judge it.
    pub tests: TestsPolicy,
    /// The command that has to pass with the work of all tasks, beside theirs.
    pub check: Option<String>,
    /// After how many accepted tasks the commands of all are run on the lane.
    pub check_every: NonZeroU32,
    /// How changes are reviewed once their commands pass; `None` where they are not. The
    /// subject and the artifact are those of each task, and limits of calls those of the
    /// run.
    pub review: Option<Arc<LoopConfig>>,
    /// The most calls of the run, those of the review included, and what they may
    /// consume.
    pub limits: Budget,
    /// The seed of the run, which spreads the pauses of concurrent runs.
    pub seed: Seed,
}

/// An operation on the lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneOp {
    /// Create the lane of the run, or open the one that exists.
    Open,
    /// Have the agent pick the next task.
    Pick {
        /// The tasks that are ready.
        tasks: Vec<ReadyTask>,
        /// What the call may consume.
        allowance: Allowance,
    },
    /// Write the files of a commit to a new private checkout for an attempt.
    Checkout {
        /// The task.
        task: TaskNumber,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// The commit: the tip of the lane.
        base: CommitId,
        /// The snapshot of the last attempt, whose change the checkout has as well.
        change: Option<Change>,
        /// Patterns for the files that it does not have.
        hidden: Vec<String>,
    },
    /// Have the agent work in the checkout.
    Work {
        /// The task.
        task: PlannedTask,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Which of the agents is called, from 0.
        agent: usize,
        /// The last result of its command or attempt, for the prompt.
        last: Option<RejectedAttempt>,
        /// What the call may consume.
        allowance: Allowance,
    },
    /// Make a commit of the files in the checkout.
    Snapshot {
        /// The task.
        task: PlannedTask,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// The commit that the checkout started from.
        base: CommitId,
    },
    /// Account for the resolution of a conflict.
    Account {
        /// The change that conflicted.
        change: Change,
        /// The tip of the lane that it conflicted with.
        tip: CommitId,
        /// The snapshot of the resolution.
        resolved: CommitId,
    },
    /// Merge the change of a snapshot into the tip of the lane.
    Merge {
        /// The task.
        task: PlannedTask,
        /// The snapshot.
        change: Change,
        /// The tip of the lane.
        tip: CommitId,
        /// Whether its command ran tests before any work.
        had_tests: bool,
    },
    /// Run a command on a tree, in the checkout that no agent is given.
    Gate {
        /// The command.
        command: GateCommand,
        /// The tree.
        tree: TreeId,
        /// What the result is for.
        kind: GateKind,
        /// Hashes of the names of the tests that are known of it; to look at new tests,
        /// those of all commands.
        known: Vec<Hash>,
    },
    /// Write the task, the spec and the change as one document for a review.
    WriteChange {
        /// The task.
        task: PlannedTask,
        /// The tip of the lane.
        tip: CommitId,
        /// The merged tree.
        tree: TreeId,
    },
    /// Run an operation of the review of a change.
    Review {
        /// The task.
        task: TaskNumber,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// The document that is reviewed.
        base: BaseState,
        /// The operation.
        op: Box<ReviewOp>,
    },
    /// Append a commit with a tree to the lane.
    Advance {
        /// The task.
        task: PlannedTask,
        /// The tip of the lane.
        tip: CommitId,
        /// The tree.
        tree: TreeId,
        /// The approval of a user, if its change needed one.
        approval: Option<Approval>,
    },
    /// Append a commit to the lane in which a task that passed without a change is complete.
    /// Where there can be none, record the task in the user's files, if they are those that
    /// its command passed on.
    Complete {
        /// The task.
        task: PlannedTask,
        /// The result of its command.
        ran: Ran,
        /// The tip of the lane.
        tip: CommitId,
        /// The tree of the tip.
        tree: TreeId,
    },
    /// Apply the commits of the lane to the target branch as it is now.
    Carry {
        /// The tip of the lane.
        tip: CommitId,
    },
    /// Record that a task is complete in the user's files, if they are those that its
    /// command passed on.
    Record {
        /// The task.
        task: PlannedTask,
        /// The result of its command.
        ran: Ran,
        /// The commit that landed.
        commit: CommitId,
        /// The approval of a user, if its change needed one.
        approval: Option<Approval>,
    },
    /// Move the target branch, and the user's files if it is checked out, to a commit.
    Land {
        /// The commit.
        commit: CommitId,
        /// The tasks that it has.
        tasks: Vec<TaskNumber>,
    },
}

/// What an operation needs on another computer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwayStep<'a> {
    /// The task whose operations share a checkout, so that all are carried out there.
    pub group: Option<TaskNumber>,
    /// The commits that it starts from.
    pub commits: Vec<&'a CommitId>,
    /// The tree that it judges.
    pub tree: Option<&'a TreeId>,
    /// The content that it reads.
    pub wants: Vec<Hash>,
    /// The task whose commands it runs or protects.
    pub task: Option<&'a PlannedTask>,
}

/// A command that is run in the checkout of the gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateCommand {
    /// That of a task.
    Task(PlannedTask),
    /// That of `lane.check`.
    Check(String),
}

impl GateCommand {
    /// Returns the task that it is of; `None` for that of `lane.check`.
    pub const fn task(&self) -> Option<&PlannedTask> {
        match self {
            Self::Task(task) => Some(task),
            Self::Check(_) => None,
        }
    }
}

impl LaneOp {
    /// Returns what it needs on another computer; `None` if it is carried out where the run
    /// was started: it reads or writes the user's files, records and refs, is what a landing
    /// rests on, or costs little.
    pub fn away(&self) -> Option<AwayStep<'_>> {
        Some(match self {
            Self::Checkout {
                task, base, change, ..
            } => {
                let change = change.iter();
                let change = change.flat_map(|change| [&change.base, &change.commit]);
                AwayStep {
                    group: Some(*task),
                    commits: std::iter::once(base).chain(change).collect(),
                    ..AwayStep::default()
                }
            }
            Self::Work { task, last, .. } => AwayStep {
                group: Some(task.number),
                wants: last.iter().filter_map(|last| last.tail).collect(),
                task: Some(task),
                ..AwayStep::default()
            },
            Self::Snapshot { task, base, .. } => AwayStep {
                group: Some(task.number),
                commits: vec![base],
                task: Some(task),
                ..AwayStep::default()
            },
            Self::Gate {
                command,
                tree,
                kind,
                known,
            } if !kind.decides_landing() => AwayStep {
                tree: Some(tree),
                wants: known.clone(),
                task: command.task(),
                ..AwayStep::default()
            },
            Self::Gate { .. }
            | Self::Open
            | Self::Pick { .. }
            | Self::Account { .. }
            | Self::Merge { .. }
            | Self::WriteChange { .. }
            | Self::Review { .. }
            | Self::Advance { .. }
            | Self::Complete { .. }
            | Self::Carry { .. }
            | Self::Record { .. }
            | Self::Land { .. } => return None,
        })
    }
}

/// A task that can start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyTask {
    /// Its number.
    pub task: TaskNumber,
    /// Its title.
    pub title: String,
    /// The tasks that wait for it.
    pub waiting: Vec<TaskNumber>,
}

/// A change: a commit, and the commit that it started from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The commit that it started from.
    pub base: CommitId,
    /// The commit.
    pub commit: CommitId,
}

/// What a run of a command in the checkout of the gate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// Whether it passes before any work, and what fails.
    Before,
    /// Whether the task passes on the merged tree.
    Merged,
    /// Once more, since it did not pass.
    Again,
    /// Whether it passes on the task's own tree.
    Alone,
    /// Whether it passes with the tests of the lane in place of changed ones.
    Protected,
    /// Whether it passes with what the change makes of the configuration of test runners.
    Configured,
    /// Whether new tests pass without the change.
    Reverted,
    /// Whether it passes though the scripts that it runs end with a failure.
    Failing,
    /// Whether it passes together with the work of all other tasks.
    Together,
    /// Whether it passes on the commit that is to land, from a new checkout.
    Landing,
    /// Once more, in a new folder, since it failed together with the work of others.
    Fresh,
    /// Whether it passes on a commit that may have broken it.
    Bisect,
}

impl GateKind {
    /// Returns whether work lands, or does not, because of it.
    pub(crate) const fn decides_landing(self) -> bool {
        match self {
            Self::Protected | Self::Together | Self::Landing | Self::Fresh | Self::Bisect => true,
            Self::Before
            | Self::Merged
            | Self::Again
            | Self::Alone
            | Self::Configured
            | Self::Reverted
            | Self::Failing => false,
        }
    }

    /// Returns whether the tests of the run are compared with those before.
    pub(crate) const fn compares_tests(self) -> bool {
        match self {
            Self::Before
            | Self::Merged
            | Self::Again
            | Self::Reverted
            | Self::Together
            | Self::Landing
            | Self::Fresh
            | Self::Bisect => true,
            Self::Alone | Self::Protected | Self::Configured | Self::Failing => false,
        }
    }
}

/// An attempt that was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedAttempt {
    /// Why not.
    pub code: AttemptCode,
    /// The reason in words.
    pub reason: String,
    /// Hash of the end of the output if a command ran, or of the feedback of a review.
    pub tail: Option<Hash>,
}

/// The result of an operation on the lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneOut {
    /// The lane is open.
    Opened {
        /// Its tip.
        tip: CommitId,
        /// The tree of the tip.
        tree: TreeId,
        /// What is reported of it; `None` in older journals.
        opened: Option<LaneOpened>,
    },
    /// The agent picked a task; `None` if its answer names none of those that are ready.
    Picked(Option<TaskNumber>),
    /// The agent that was to pick a task failed.
    NotPicked(AgentError),
    /// The checkout has the files.
    CheckedOut,
    /// The commands that prepare a checkout failed.
    SetupFailed(Ran),
    /// The agent has ended.
    Worked(Worked),
    /// The files are a commit.
    Snapshot {
        /// The commit.
        commit: CommitId,
        /// Its tree.
        tree: TreeId,
        /// The number of files that differ from the base.
        files: u32,
        /// The fault that keeps the change from being merged, if it has one.
        fault: Option<SnapshotFault>,
        /// The files that agents may not change and that were restored.
        restored: Vec<String>,
    },
    /// What is wrong or has to be decided about a resolution, if there was a conflict.
    Accounted {
        /// The first entries, by code.
        entries: Vec<AccountEntry>,
        /// The number of further entries.
        more: u32,
    },
    /// The change fits.
    Merged {
        /// The trees on which the command judges the change.
        trees: MergedTrees,
    },
    /// The change does not fit.
    Conflicts {
        /// The files with conflicts.
        paths: Vec<String>,
    },
    /// The command ended.
    Gated(Ran),
    /// The document for a review is written.
    ChangeWritten {
        /// The document as an artifact.
        base: BaseState,
    },
    /// The result of an operation of a review.
    Reviewed(Box<ReviewOut>),
    /// The feedback of a review for the implementer.
    Feedback {
        /// Hash of all of it.
        text: Hash,
        /// The number of its items.
        items: u32,
        /// The issue of the first item.
        first: String,
    },
    /// The lane has the commit.
    Advanced {
        /// The new tip of the lane.
        tip: CommitId,
        /// The tree of the tip.
        tree: TreeId,
    },
    /// The commits fit the target.
    Carried {
        /// The commit to land; the target when nothing is left to land.
        commit: CommitId,
        /// Its tree.
        tree: TreeId,
    },
    /// The target, and the user's files, are at the commit.
    Landed {
        /// The branch.
        branch: String,
        /// Whether the user's files have it, since the branch is checked out.
        is_checked_out: bool,
    },
    /// The record of a landed task was written, or it could not be.
    Recorded,
    /// The commits are on the lane only.
    NotLanded {
        /// Why not.
        code: LandCode,
        /// The reason in words.
        reason: String,
    },
    /// A limit of the run was reached.
    Cut(review::LimitReached),
    /// The run cannot go on as things are.
    Blocked {
        /// Why not.
        code: BlockCode,
        /// The reason in words.
        reason: String,
    },
}

/// The end of a call of the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worked {
    /// It ended; its files decide.
    Done {
        /// Its claim about the task.
        says: AgentClaim,
        /// What changed in the user's files or repository during that, where no sandbox
        /// protects them.
        beside: Option<String>,
        /// Whether processes that it had started still ran.
        left_running: bool,
    },
    /// It failed.
    Failed(AgentError),
}

/// The claim of an agent about its task. Only its files and the commands decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentClaim {
    /// It did the task, or says nothing about it.
    Done,
    /// The task needs no change.
    AlreadySatisfied,
    /// It needs an answer first.
    Question {
        /// The question.
        text: String,
    },
    /// Its answer cannot be used, and changed nothing.
    Unusable {
        /// Why.
        reason: String,
    },
}

/// The trees on which the command of a task judges its change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedTrees {
    /// The merged tree; where the runner files of the change are set aside, without them.
    pub merged: TreeId,
    /// What the change makes of runner files that it may not change, if it does.
    pub runner: Option<RunnerChange>,
    /// The runner files that it may change.
    pub configured: Vec<String>,
    /// Whether it may only since its command had no test before.
    pub is_untested: bool,
    /// The merged tree with the tests of the lane, if the change touches tests that exist.
    pub protected: Option<TreeId>,
    /// The tip with the new and changed tests and nothing else of the change, if there are
    /// any that its task does not ask for.
    pub reverted: Option<TreeId>,
    /// The merged tree with the scripts that the command runs made to end with a failure,
    /// if there are any that can be.
    pub failing: Option<TreeId>,
    /// The tests that it deletes.
    pub deleted: Vec<String>,
}

impl MergedTrees {
    /// Returns a merged tree of a change that touches neither tests nor runner files.
    pub const fn of(merged: TreeId) -> Self {
        Self {
            merged,
            runner: None,
            configured: Vec::new(),
            is_untested: false,
            protected: None,
            reverted: None,
            failing: None,
            deleted: Vec::new(),
        }
    }
}

/// A change of files that configure or replace a test runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerChange {
    /// The merged tree with it.
    pub tree: TreeId,
    /// The files.
    pub files: Vec<String>,
    /// Whether the change is set aside in the merged tree. A file in which it also changes
    /// something else cannot be set aside without loss.
    pub is_set_aside: bool,
}

/// A fault of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFault {
    /// The fault.
    pub code: AttemptCode,
    /// The reason in words, with the paths.
    pub reason: String,
}

pub use review_lane::LandCode;
