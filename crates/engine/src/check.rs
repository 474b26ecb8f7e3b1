//! The command of the project that is run before each review.

use async_trait::async_trait;
use review::{Check, Checking, Halt, Step};
use review_tasks::{TaskContext, run_check};

/// A command, with what the commands of tasks share.
pub(crate) struct ProjectCheck {
    pub(crate) command: String,
    pub(crate) context: TaskContext,
}

#[async_trait]
impl Check for ProjectCheck {
    async fn check(&self, step: &Step) -> Result<Checking, Halt> {
        run_check(&self.context, step, &self.command).await
    }
}
