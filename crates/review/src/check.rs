//! The check of the project: a command that runs before each review; and the checks that
//! reviewers name as proof of their findings.

use async_trait::async_trait;
use review_events::CheckReport;
use review_types::{Lines, NamedCheck, TaskNumber};

use crate::review_loop::LimitReached;
use review_flow::{Step, Stop};

/// Runs the check of the project before each review.
#[async_trait]
pub trait Check: Send + Sync {
    /// Runs the command on the state of the project before `step`.
    ///
    /// # Errors
    /// [`Stop`] when this process stops.
    async fn check(&self, step: &Step) -> Result<CheckOutcome, Stop>;
}

/// The outcome of running a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The check completed.
    Ran(CheckReport),
    /// A limit of the run was reached.
    Cut(LimitReached),
}

/// Runs the checks that reviewers name as proof of their findings: only what the user's
/// own files define, and never a command of an answer.
#[async_trait]
pub trait NamedChecks: Send + Sync {
    /// Returns the names that a reviewer may use.
    ///
    /// # Errors
    /// [`Stop`] when this process stops.
    fn names(&self) -> Result<CheckNames, Stop>;

    /// Runs a check on the state of the project at `step`.
    ///
    /// # Errors
    /// [`Stop`] when this process stops.
    async fn run(&self, step: &Step, named: &NamedCheck) -> Result<NamedOutcome, Stop>;
}

/// The names of checks that a reviewer is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckNames {
    /// The names of commands.
    pub checks: Vec<String>,
    /// The tasks with a gate, in order.
    pub tasks: Vec<TaskNumber>,
}

impl CheckNames {
    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.tasks.is_empty()
    }
}

/// The outcome of a check that a reviewer named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedOutcome {
    /// The rule reports at these places.
    Reports(Vec<RuleReport>),
    /// The command fails, with its own message.
    Fails(String),
    /// The command passes.
    Passes,
    /// Nothing has that name, or it shows nothing: why.
    NotRun(String),
    /// A limit of the run was reached.
    Cut(LimitReached),
}

/// One report of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The file, relative to the root.
    pub path: String,
    /// The lines that it is about.
    pub lines: Lines,
    /// Whether the rule only warns.
    pub warns: bool,
    /// The problem, in the words of the rule.
    pub message: String,
}
