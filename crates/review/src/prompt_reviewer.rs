//! A reviewer that runs as a task of an agent.

use async_trait::async_trait;
use review_types::{AgentError, ModelId};

use crate::agent::{ReviewAnswer, ReviewRequest, Reviewer, TaskInvoker};
use crate::feedback::SUBAGENT_TYPE;
use crate::prompt;

/// Sends the plain review prompt to a [`TaskInvoker`].
#[derive(Debug)]
pub struct PromptReviewer<I> {
    invoker: I,
}

impl<I: TaskInvoker> PromptReviewer<I> {
    /// Returns a reviewer over `invoker`.
    #[must_use]
    pub fn new(invoker: I) -> Self {
        Self { invoker }
    }
}

#[async_trait]
impl<I: TaskInvoker> Reviewer for PromptReviewer<I> {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let prompt = prompt::review_specs(&request);
        let text = self.invoker.invoke_task(&prompt, SUBAGENT_TYPE).await?;
        Ok(ReviewAnswer::text(text).with_model(ModelId::of_backend(SUBAGENT_TYPE)))
    }
}
