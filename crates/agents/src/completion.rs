//! A question of ours to a backend, outside of any review.

use async_trait::async_trait;
use review::Allowance;
use review_flow::Step;
use review_types::{AgentError, ModelId, Usage};

use crate::prompts::{LessonPrompt, Prompt};

/// What a backend is asked.
#[derive(Clone, Debug)]
pub struct CompletionRequest<'a> {
    /// The question.
    pub prompt: LessonPrompt<'a>,
    /// What data stands between in the prompt; nobody can guess it.
    pub nonce: String,
    /// An id that no session has.
    pub session_id: String,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The step that the call is, for its logs.
    pub step: Step,
}

/// What a backend answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its words.
    pub text: Vec<u8>,
    /// Who answered.
    pub by: ModelId,
    /// What the call consumed, as far as that is known.
    pub usage: Option<Usage>,
}

/// Somebody who can be asked, and may change no file.
#[async_trait]
pub trait Completer: Send + Sync {
    /// Asks.
    ///
    /// # Errors
    /// [`AgentError`] when there is no answer, or a file was changed.
    async fn complete(&self, request: CompletionRequest<'_>) -> Result<Completion, AgentError>;
}

impl CompletionRequest<'_> {
    pub(crate) fn rendered(&self) -> Prompt {
        self.prompt.render(&self.nonce)
    }
}
