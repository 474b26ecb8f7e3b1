//! An agent in the roles that ralph has for it: each is a prompt, an access and
//! a reading of the answer.

mod implement;
mod inquiry;

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use review::events::{AgentAnswered, AgentRole, CallStarted, Event};
use review::prompt::PromptSent;
use review::schema::Dialect;
use review::{
    AnswerContent, Applier, ApplyReport, ApplyRequest, Malformed, ReviewAnswer, ReviewRequest,
    Reviewer,
};
use review_store::{ConfineError, FileArtifact};
use review_types::{AgentError, milliseconds};

use crate::caller::Caller;
use crate::edits::{self, EditScope, NoEdits, edited};
use crate::prompts::{self, ArtifactTooLarge, Prompt, RolePrompt};
use crate::schemas::{edits_schema, review_schema};
use crate::{Access, Agent, AgentCall, AgentContext, AgentReply, Backend, Checkout};

pub use implement::{Claim, ImplementRequest, Implemented};
pub use inquiry::{Inquiry, InquiryRequest, PlanAnswer};

/// The most bytes of an answer that are shown to those who watch.
const MAX_ANSWER: usize = 16 * 1024;

/// An agent as reviewer, applier and implementer, and as one that answers inquiries.
pub struct RoleAgent {
    agent: Box<dyn Agent>,
    backend: Backend,
    context: Arc<AgentContext>,
    checkout: Arc<Checkout>,
}

impl RoleAgent {
    /// The agent that `backend` names, in the world of `context`, for the
    /// artifact of `checkout`.
    pub fn new(
        agent: Box<dyn Agent>,
        backend: Backend,
        context: Arc<AgentContext>,
        checkout: Arc<Checkout>,
    ) -> Self {
        Self {
            agent,
            backend,
            context,
            checkout,
        }
    }

    /// Makes the call of a role, and reports its start and its answer to those who
    /// watch.
    async fn call(&self, call: AgentCall<'_>, asked_again: bool) -> Result<AgentReply, AgentError> {
        let live = &self.context.live;
        let (step, role, iteration) = (call.step.name.clone(), call.role, call.iteration);
        live.report(|| {
            let limits = self.context.limits_now();
            Event::CallStarted(CallStarted {
                step: step.to_string(),
                role,
                iteration,
                asked_again,
                agent: self.backend.agent(),
                model: self.backend.model().map(ToString::to_string),
                time_limit_ms: limits.wall.map(milliseconds),
                idle_limit_ms: limits.idle.map(milliseconds),
            })
        });
        let reply = self.agent.call(call).await?;
        live.report(|| {
            let text = String::from_utf8_lossy(&reply.text);
            let start = text.ceil_char_boundary(text.len().saturating_sub(MAX_ANSWER));
            Event::AgentAnswered(AgentAnswered {
                step: step.to_string(),
                role,
                iteration,
                text: text[start..].to_owned(),
                truncated: start > 0,
            })
        });
        Ok(reply)
    }

    /// The access of a call that changes nothing.
    fn read_access(&self) -> Access {
        match self.backend.has_tools() {
            true => Access::Read,
            false => Access::None,
        }
    }

    /// The artifact, which a prompt has room for.
    fn artifact(&self) -> Result<&FileArtifact, AgentError> {
        let artifact = &*self.checkout.artifact;
        let size = artifact.size();
        let size = size.map_err(|error| self.not_called("was not started", &error))?;
        let room = ArtifactTooLarge::check(size);
        room.map_err(|error| self.not_called("was not started", &error))?;
        Ok(artifact)
    }

    fn review_prompt(&self, request: &ReviewRequest) -> Result<Prompt, AgentError> {
        let is_change = self.checkout.holds_change;
        let of_changes = is_change.then(RolePrompt::of_changes);
        let role = of_changes.as_ref();
        let role = role.unwrap_or(&self.context.prompts.reviewer);
        let artifact = self.artifact()?;
        let prompt = match self.backend.dialect() {
            Dialect::Afp => crate::opencode::request(request, artifact, role),
            Dialect::Verdict | Dialect::Actionable if is_change => {
                prompts::review_change(request, artifact)
            }
            Dialect::Verdict | Dialect::Actionable => prompts::review(request, artifact, role),
        };
        prompt.map_err(|error| self.not_called("was not started", &error))
    }

    fn apply_prompt(&self, request: &ApplyRequest) -> Result<Prompt, AgentError> {
        let role = &self.context.prompts.applier;
        let artifact = self.artifact()?;
        let prompt = match self.backend.has_tools() {
            true => prompts::apply(request, artifact, role, self.context.apply_scope),
            false => prompts::apply_edits(request, artifact, role),
        };
        prompt.map_err(|error| self.not_called("was not started", &error))
    }

    /// An agent that was not called, or whose answer is not used, since the artifact
    /// cannot be.
    fn not_called(&self, what: &str, error: &dyn Error) -> AgentError {
        let program = &*self.backend.called();
        *Caller { program }.not_called(what, error)
    }

    /// Makes the edits of an answer within `scope`: all of them, or none.
    fn edit(&self, answer: &[u8], scope: EditScope<'_>) -> Result<Option<Malformed>, ConfineError> {
        match edited(&String::from_utf8_lossy(answer), scope) {
            Ok(files) => edits::write(self.checkout.root(), &files).map(|()| None),
            Err(NoEdits::Bad(malformed)) => Ok(Some(malformed)),
            Err(NoEdits::Unreadable(error)) => Err(error),
        }
    }
}

#[async_trait]
impl Reviewer for RoleAgent {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let role = AgentRole::Reviewer;
        let prompt = self.review_prompt(&request)?;
        let call = AgentCall {
            role,
            iteration: request.iteration,
            prompt,
            access: self.read_access(),
            checkout: &self.checkout,
            session: &request.session_id,
            follow_up: request.follow_up.as_ref(),
            request_id: Some(&request.review_id),
            answer_schema: self
                .backend
                .is_model()
                .then(|| review_schema(&request.criteria)),
            allowance: request.allowance,
            step: &request.step,
        };
        let reply = self.call(call, request.retry.is_some()).await?;
        let sent = self.backend.receiver().map(|receiver| PromptSent {
            receiver,
            read: reply.prompt,
        });
        Ok(ReviewAnswer {
            content: AnswerContent::Text(reply.text),
            by: reply.by,
            session: reply.session,
            usage: reply.usage,
            sent,
        })
    }
}

/// An agent without tools says in its answer what to change, and the change is
/// made here.
#[async_trait]
impl Applier for RoleAgent {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let role = AgentRole::Applier;
        let prompt = self.apply_prompt(&request)?;
        let (access, answer_schema) = match self.backend.has_tools() {
            true => (Access::Edit(self.context.apply_scope), None),
            false => (Access::None, Some(edits_schema())),
        };
        let call = AgentCall {
            role,
            iteration: request.iteration,
            prompt,
            access,
            checkout: &self.checkout,
            session: &request.session_id,
            follow_up: None,
            request_id: None,
            answer_schema,
            allowance: request.allowance,
            step: &request.step,
        };
        let reply = self.call(call, request.retry.is_some()).await?;
        let malformed = match access {
            Access::None => {
                let edited = self.edit(&reply.text, EditScope::Artifact(&self.checkout.artifact));
                edited.map_err(|error| AgentError {
                    usage: reply.usage,
                    ..self.not_called("made no edit", &error)
                })?
            }
            Access::Read | Access::Edit(_) | Access::Implement => None,
        };
        Ok(ApplyReport {
            text: reply.text,
            out_of_scope: reply.out_of_scope,
            malformed,
            by: reply.by,
            session: reply.session,
            usage: reply.usage,
        })
    }
}
