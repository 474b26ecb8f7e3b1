//! A program of the user that is asked a question of ours.

use async_trait::async_trait;
use review_types::AgentError;

use super::CmdAgent;
use crate::completion::{Completer, Completion, CompletionRequest};

#[async_trait]
impl Completer for CmdAgent {
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError> {
        let prompt = Ok(request.rendered());
        let (text, by) = self.read_only(1, &request.step, prompt).await?;
        Ok(Completion {
            text,
            by,
            usage: None,
        })
    }
}
