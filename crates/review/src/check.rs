//! A command of the project that says whether it works as it is reviewed.

use async_trait::async_trait;
use review_events::CheckReport;

use crate::engine::{Halt, Step};
use crate::review_loop::Cut;

/// Runs a command of the project, before each review.
#[async_trait]
pub trait Check: Send + Sync {
    /// Runs the command on the project as it is before `step`.
    ///
    /// # Errors
    /// [`Halt`] when this process stops.
    async fn check(&self, step: &Step) -> Result<Checking, Halt>;
}

/// What came of running a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checking {
    /// It came to its end.
    Ran(CheckReport),
    /// A limit of the run ended it.
    Cut(Cut),
}
