//! A client that is asked a question of ours.

use async_trait::async_trait;
use review::events::AgentRole;
use review_types::AgentError;

use super::agent::{Call, ClientAgent};
use crate::completion::{Completer, Completion, CompletionRequest};
use crate::prompts::LessonPrompt;

#[async_trait]
impl Completer for ClientAgent {
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError> {
        let schema = LessonPrompt::schema().to_string();
        let call = Call {
            role: AgentRole::Reviewer,
            iteration: 1,
            step: &request.step,
            session: &request.session_id,
            follow_up: None,
            schema: Some(&schema),
            review_id: None,
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
