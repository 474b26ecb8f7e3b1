//! A command of the project that says whether it works as it is reviewed.

use async_trait::async_trait;
use review_events::CheckReport;

use crate::review_loop::Cut;
use review_flow::{Step, Stop};

/// Runs a command of the project, before each review.
#[async_trait]
pub trait Check: Send + Sync {
    /// Runs the command on the project as it is before `step`.
    ///
    /// # Errors
    /// [`Stop`] when this process stops.
    async fn check(&self, step: &Step) -> Result<Checking, Stop>;
}

/// What came of running a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checking {
    /// It came to its end.
    Ran(CheckReport),
    /// A limit of the run ended it.
    Cut(Cut),
}
