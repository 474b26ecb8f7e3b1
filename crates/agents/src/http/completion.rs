//! A model behind an HTTP API that is asked a question of ours.

use async_trait::async_trait;
use review::events::AgentRole;
use review_types::AgentError;

use super::agent::{Call, HttpAgent};
use crate::completion::{Completer, Completion, CompletionRequest};
use crate::prompts::LessonPrompt;

#[async_trait]
impl Completer for HttpAgent {
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError> {
        let call = Call {
            role: AgentRole::Reviewer,
            step: &request.step,
            schema: LessonPrompt::schema(),
            allowance: request.allowance,
        };
        let answer = self.call(call, Ok(request.rendered())).await;
        let answer = answer.map_err(|error| *error)?;
        Ok(Completion {
            text: answer.text.into_bytes(),
            by: answer.by,
            usage: answer.usage,
        })
    }
}
