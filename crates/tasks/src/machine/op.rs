//! What the task machine asks for and gets back. Hashes and counts only.

use std::fmt;
use std::time::Duration;

use review::LimitReached;
use review::events::{ListedTest, MustPass, TaskState, TestResult};
use review_document::write_duration;
use review_types::{ChangedFiles, Hash, TaskStatus};
use serde::{Deserialize, Serialize};

use super::plan::{PlannedTask, TaskPlan};

/// Tests that a failure names of those with one result.
const NAMED: usize = 10;

/// The most characters of a test's name in a failure.
const MAX_NAME: usize = 120;

/// An operation of the task machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOp {
    /// Have the task's command pass, now or by record.
    Backpressure {
        /// The task.
        task: PlannedTask,
    },
    /// Write a status into the task's file.
    Status {
        /// The task.
        task: PlannedTask,
        /// The status.
        status: TaskStatus,
    },
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOut {
    /// The command was run, or its record taken.
    Ran(Ran),
    /// A limit of the run ended the command or kept it from starting.
    Cut(LimitReached),
    /// The artifact is not the one that was reviewed, and no command was run.
    Changed(ChangedFiles),
    /// The artifact changed while the command was run.
    ChangedMeanwhile {
        /// The files that differ.
        files: ChangedFiles,
        /// How the command went.
        ran: Ran,
    },
    /// The file has the status.
    StatusWritten,
    /// The file is as it was, since it cannot take the status.
    StatusKept {
        /// Why, in words.
        reason: String,
    },
}

/// How the command of a task went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Why it did not pass; `None` when it did.
    pub failure: Option<CommandFailure>,
    /// Tests that ran; `None` when no known runner counted any.
    pub tests_run: Option<u64>,
    /// What became of the tests that the task lists; `None` when it lists none
    /// or its command did not pass.
    pub must_pass: Option<MustPass>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Whether an earlier recorded run was taken instead of a new one.
    pub cached: bool,
    /// Whether it, or a command that ran beside it, changed the tree it ran in.
    pub changed_tree: bool,
    /// Hash of the end of what it printed, when it did not pass.
    pub tail: Option<Hash>,
    /// Path of the log with all that it printed.
    pub log: Option<String>,
}

impl Ran {
    /// Where the task stands.
    #[must_use]
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

/// Which step of a command did not pass, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFailure {
    /// Number of the step, from 1.
    pub step: usize,
    /// How many steps the command has.
    pub steps: usize,
    /// Why.
    pub cause: FailureCause,
}

/// Why a step did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// It ended with another status than 0.
    Exit {
        /// The status.
        status: i32,
    },
    /// A signal ended it.
    Signal {
        /// Number of the signal.
        signal: i32,
    },
    /// It took longer than it may.
    TimedOut {
        /// How long the command may take.
        limit: Duration,
    },
    /// It ended well and ran no test at all.
    NoTests,
    /// It ended well, and these listed tests did not run and pass.
    TestsMissing {
        /// The tests.
        tests: Vec<ListedTest>,
    },
    /// It could not be started.
    NotStarted {
        /// Why, in words.
        message: String,
    },
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

/// Names the listed tests that did not run and pass, by what became of them.
fn write_missing(tests: &[ListedTest], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let kinds = [
        (TestResult::NotRun, "did not run"),
        (TestResult::Failed, "failed"),
        (TestResult::Skipped, "was skipped"),
    ];
    let mut separator = "";
    for (result, words) in kinds {
        let of_kind = || tests.iter().filter(|test| test.result == result);
        let count = of_kind().count();
        for test in of_kind().take(NAMED) {
            let name: String = test.name.chars().take(MAX_NAME).collect();
            write!(f, "{separator}listed test `{name}` {words}")?;
            separator = ", ";
        }
        if let Some(more @ 1..) = count.checked_sub(NAMED) {
            write!(f, "{separator}{more} more {words}")?;
        }
    }
    let them = if tests.len() == 1 { "it" } else { "them" };
    write!(
        f,
        "; make {them} run and pass, or correct the Must Pass table"
    )
}

/// What may differ when an ended run of tasks goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskChanges {
    /// The plan, if the task files say something else now.
    pub plan: Option<TaskPlan>,
}
