//! The check of the project: a command that runs before each review.

use async_trait::async_trait;
use review_events::CheckReport;

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
