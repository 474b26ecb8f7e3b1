//! The operations of the task machine and their results. Hashes and counts only.

use std::fmt;
use std::time::Duration;

use review::LimitReached;
use review::events::{Approval, ListedTest, MustPass, TaskState, TestResult};
use review_types::{Hash, TaskNumber, TaskStatus, listed, write_duration};
use serde::{Deserialize, Serialize};

use super::lane::{LaneOp, LaneOut};
use super::plan::{PlannedTask, TaskPlan};
use super::ran_tests::RanTests;

/// Maximum number of tests with one result that a failure lists.
const NAMED: usize = 10;

/// Maximum number of characters of a test's name in a failure.
const MAX_NAME: usize = 120;

/// An operation of the task machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOp {
    /// Run the task's command, or use its record.
    Backpressure {
        /// The task.
        task: PlannedTask,
    },
    /// Write a status to the task's file.
    Status {
        /// The task.
        task: PlannedTask,
        /// The status.
        status: TaskStatus,
    },
    /// An operation on the lane.
    Lane(Box<LaneOp>),
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOut {
    /// The command was run, or its record used.
    Ran(Ran),
    /// A limit of the run ended the command or kept it from starting.
    Cut(LimitReached),
    /// The artifact is not the reviewed one.
    Changed {
        /// The files that differ.
        files: String,
        /// The result of the command that ran in the meantime, if one did.
        ran: Option<Ran>,
    },
    /// The status was to be written.
    Status {
        /// Why the file is unchanged; `None` if it has the status.
        kept: Option<String>,
    },
    /// The result of an operation on the lane.
    Lane(LaneOut),
}

/// The result of the command of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Why it did not pass; `None` when it did.
    pub failure: Option<CommandFailure>,
    /// The number of tests that ran; `None` when no known runner counted any.
    pub tests_run: Option<u64>,
    /// The results of the tests that the task lists; `None` when it lists none
    /// or its command did not pass.
    pub must_pass: Option<MustPass>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Whether an earlier recorded run was reused.
    pub cached: bool,
    /// Whether it, or a concurrent command, changed the tree in which it ran.
    pub changed_tree: bool,
    /// Whether it found the files of a tree and what `lane.setup` makes of them, and nothing
    /// else: not even what an earlier run has built.
    pub fresh: bool,
    /// Whether another computer ran it, which this one takes no pass from.
    pub elsewhere: bool,
    /// Hash of the end of its output, when it did not pass.
    pub tail: Option<Hash>,
    /// Path of the log with all its output.
    pub log: Option<String>,
    /// Its tests beside those before, if they are compared and any are known.
    pub tests: Option<Box<RanTests>>,
}

impl Ran {
    /// Returns the state of the task.
    pub const fn state(&self) -> TaskState {
        match &self.failure {
            None => TaskState::Passed,
            Some(failure) => match failure.cause {
                FailureCause::TimedOut { .. } => TaskState::TimedOut,
                FailureCause::NoTests => TaskState::NoTests,
                FailureCause::TestsMissing { .. } => TaskState::TestsMissing,
                FailureCause::Exit { .. }
                | FailureCause::Signal { .. }
                | FailureCause::NotStarted { .. } => TaskState::Failed,
            },
        }
    }
}

/// A step of a command that did not pass, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFailure {
    /// Number of the step, from 1.
    pub step: usize,
    /// The number of steps of the command.
    pub steps: usize,
    /// The reason.
    pub cause: FailureCause,
}

/// The reason that a step did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// It ended with a nonzero exit status.
    Exit {
        /// The status.
        status: i32,
    },
    /// A signal ended it.
    Signal {
        /// Number of the signal.
        signal: i32,
    },
    /// It exceeded the time limit.
    TimedOut {
        /// The time limit of the command.
        limit: Duration,
    },
    /// It succeeded without running a test.
    NoTests,
    /// It succeeded, but these listed tests did not run and pass.
    TestsMissing {
        /// The tests.
        tests: Vec<ListedTest>,
    },
    /// It could not be started.
    NotStarted {
        /// The reason in words.
        message: String,
    },
}

impl CommandFailure {
    /// Returns whether a program of the step could not be run, which says nothing of the
    /// files: a shell ends with 126 or 127 then.
    pub(crate) const fn could_not_run(&self) -> bool {
        matches!(
            self.cause,
            FailureCause::Exit { status: 126 | 127 } | FailureCause::NotStarted { .. }
        )
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Listed tests are those of all steps.
        let is_of_step = !matches!(self.cause, FailureCause::TestsMissing { .. });
        if self.steps > 1 && is_of_step {
            write!(f, "step {} of {}: ", self.step, self.steps)?;
        }
        self.cause.fmt(f)
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit { status } => write!(f, "exit status {status}"),
            Self::Signal { signal } => write!(f, "ended by signal {signal}"),
            Self::TimedOut { limit } => {
                write!(f, "ran longer than {}", write_duration(*limit))
            }
            Self::NoTests => f.write_str("passed without running a test"),
            Self::TestsMissing { tests } => write_missing(tests, f),
            Self::NotStarted { message } => write!(f, "could not be started: {message}"),
        }
    }
}

/// Lists the tests that did not run and pass, with their results.
fn write_missing(tests: &[ListedTest], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let missing = tests.iter().map(|test| {
        let words = match test.result {
            TestResult::NotRun | TestResult::Passed => "did not run",
            TestResult::Failed => "failed",
            TestResult::Skipped => "was skipped",
            TestResult::Unknown => "was not named, as `task.require_names` demands",
        };
        let name: String = test.name.chars().take(MAX_NAME).collect();
        format!("listed test `{name}` {words}")
    });
    let missing = listed(missing, NAMED);
    let them = if tests.len() == 1 { "it" } else { "them" };
    write!(
        f,
        "{missing}; make {them} run and pass, or correct the Must Pass table"
    )
}

/// The changes with which an ended run of tasks continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskChanges {
    /// The new plan, if the task files changed.
    pub plan: Option<TaskPlan>,
    /// Whether only what is on the lane is landed, and no task gets a new attempt.
    pub lands_only: bool,
    /// The held tasks whose changes a user approved. No other task gets new attempts.
    pub approved: Vec<ApprovedTask>,
}

/// A held task whose change a user approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedTask {
    /// Number of the task.
    pub task: TaskNumber,
    /// The approval.
    pub approval: Approval,
}
