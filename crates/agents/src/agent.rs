//! One call of an agent, whatever program or service it is.

use async_trait::async_trait;
use review::events::AgentRole;
use review::{Allowance, FollowUp, OutOfScopeChange};
use review_flow::Step;
use review_process::Ended;
use review_types::{AgentError, ModelId, PromptRead, Usage};
use serde_json::Value as Json;

use crate::caller::prompt_read;
use crate::stream::Observed;
use crate::watch::Changes;
use crate::{AgentContext, ApplyScope, Checkout, Paths, Prompt};

/// Anything that answers a prompt: a program of the user, an agent of the Agent Client
/// Protocol, a client of a language model, a model behind an HTTP API.
#[async_trait]
pub trait Agent: Send + Sync {
    /// Makes one call.
    ///
    /// # Errors
    /// [`AgentError`] when the agent does not answer, or a call that may change no file
    /// changed one.
    async fn call(&self, call: AgentCall<'_>) -> Result<AgentReply, AgentError>;
}

/// What an agent is asked, and within what bounds.
#[derive(Debug)]
pub struct AgentCall<'a> {
    /// What the agent is asked to be.
    pub role: AgentRole,
    /// The number of the round, from 1.
    pub iteration: u32,
    /// The prompt.
    pub prompt: Prompt,
    /// What the agent may do with the files of the checkout.
    pub access: Access,
    /// The folder that the agent works in.
    pub checkout: &'a Checkout,
    /// An id that no session has.
    pub session: &'a str,
    /// The session to continue, where the agent keeps its sessions.
    pub follow_up: Option<&'a FollowUp>,
    /// The id of the request, by which an answer is found in a session that the
    /// agent kept.
    pub request_id: Option<&'a str>,
    /// The JSON schema of the answer.
    pub answer_schema: Option<Json>,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The step that the call belongs to, for its logs.
    pub step: &'a Step,
}

/// What an agent may do with the files of a checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: all that it needs is in the prompt. A client that cannot be called
    /// without tools that read keeps these.
    None,
    /// Read every file, and change none.
    Read,
    /// Read every file, and change those of this scope.
    Edit(ApplyScope),
    /// Read and change every file, and run commands.
    Implement,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReply {
    /// The answer itself.
    pub text: Vec<u8>,
    /// The backend, the model and the prompt.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// What the call consumed, if it is known.
    pub usage: Option<Usage>,
    /// How much of the prompt it read from its standard input, if that is known.
    pub prompt: Option<PromptRead>,
    /// The files of the checkout that the agent reports to have read.
    pub reads: Paths,
    /// The files of the checkout that the agent reports to have written, and
    /// those that differed on disk after it, restored ones among them.
    pub changed: Paths,
    /// The changed files that are outside the scope of the call.
    pub out_of_scope: Vec<OutOfScopeChange>,
    /// Whether its client ended while processes that it had started still ran.
    pub left_running: bool,
}

impl AgentReply {
    /// The reply of a program that answered `call`, by what was seen of it and what it
    /// changed.
    pub(crate) fn observed(
        context: &AgentContext,
        call: &AgentCall<'_>,
        by: ModelId,
        usage: Option<Usage>,
        ended: &Ended,
        seen: Observed,
        changes: Changes,
    ) -> Self {
        let root = call.checkout.root();
        let mut changed = seen.writes.below(root);
        changed.extend(changes.paths);
        Self {
            text: context.clean(seen.text),
            by,
            session: seen.session,
            usage,
            prompt: prompt_read(ended.input),
            reads: seen.reads.files_below(root),
            changed,
            out_of_scope: changes.out_of_scope,
            left_running: ended.left_running,
        }
    }
}

impl Access {
    /// Whether any file may be changed.
    pub(crate) const fn may_edit(self) -> bool {
        match self {
            Self::None | Self::Read => false,
            Self::Edit(_) | Self::Implement => true,
        }
    }
}
