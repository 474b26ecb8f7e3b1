//! An agent that implements a task.

use review::Allowance;
use review::events::AgentRole;
use review::schema::read_last_object;
use review_flow::Step;
use review_types::{AgentError, ModelId, Usage};
use serde_json::{Map, Value as Json};

use super::RoleAgent;
use crate::caller::Caller;
use crate::{Access, AgentCall, TaskBrief};

/// A request to implement a task.
#[derive(Clone, Debug)]
pub struct ImplementRequest<'a> {
    /// The task.
    pub brief: TaskBrief<'a>,
    /// Random text for markers around data in the prompt.
    pub nonce: String,
    /// An id that no session has.
    pub session_id: String,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The step that the call belongs to, for its logs.
    pub step: Step,
}

/// The end of the work of an implementer. What it changed is in the checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implemented {
    /// What it says about the task.
    pub says: Claim,
    /// The backend, the model and the prompt.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// What the call consumed, if it is known.
    pub usage: Option<Usage>,
    /// The answer itself.
    pub text: Vec<u8>,
}

/// What an implementer says about its task. It proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It did the task, or says nothing about it.
    Done,
    /// The task needs no change.
    AlreadySatisfied,
    /// It needs an answer first.
    Question(String),
}

impl RoleAgent {
    /// Has a task implemented in the checkout. The number of the attempt is the
    /// iteration of the call.
    ///
    /// # Errors
    /// [`AgentError`] when the agent failed, or cannot edit files and run commands.
    pub async fn implement(
        &self,
        request: ImplementRequest<'_>,
    ) -> Result<Implemented, AgentError> {
        let role = AgentRole::Implementer;
        let program = &*self.backend.called();
        if !self.backend.can_implement() {
            let why = "it has no tools that edit files and run commands";
            return Err(*Caller { program }.not_called("was not asked", why));
        }
        let prompts = &self.context.prompts.implementer;
        let max_inline = self.context.max_inline;
        let brief = &request.brief;
        let call = AgentCall {
            role,
            iteration: brief.attempt,
            prompt: brief.render(prompts, &request.nonce, &self.backend, max_inline),
            access: Access::Implement,
            checkout: &self.checkout,
            session: &request.session_id,
            follow_up: None,
            request_id: None,
            answer_schema: None,
            allowance: request.allowance,
            step: &request.step,
        };
        let reply = self.call(call, false).await?;
        Ok(Implemented {
            says: Claim::read(&reply.text),
            by: reply.by,
            session: reply.session,
            usage: reply.usage,
            text: reply.text,
        })
    }
}

impl Claim {
    /// The claim of the last object in an answer that makes one.
    fn read(answer: &[u8]) -> Self {
        let object = read_last_object(answer, &[OUTCOME]);
        object.map_or(Self::Done, |object| Self::of(&object))
    }

    fn of(object: &Map<String, Json>) -> Self {
        let text = |key: &str| object.get(key).and_then(Json::as_str).unwrap_or_default();
        match text(OUTCOME) {
            "already_satisfied" => Self::AlreadySatisfied,
            // Dots alone are those of the prompt.
            "question" if text("text").contains(char::is_alphanumeric) => {
                Self::Question(text("text").trim().to_owned())
            }
            _ => Self::Done,
        }
    }
}

/// The key of a claim.
const OUTCOME: &str = "outcome";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_the_last_object_with_an_outcome() {
        let question = |text: &str| Claim::Question(text.to_owned());
        for (answer, claim) in [
            ("", Claim::Done),
            ("I wrote src/lib.rs.\n", Claim::Done),
            (
                "The cache is there.\n{\"outcome\": \"already_satisfied\"}\n",
                Claim::AlreadySatisfied,
            ),
            (
                "```json\n{\"outcome\": \"question\", \"text\": \" Which limit? \"}\n```",
                question("Which limit?"),
            ),
            (
                "{\"outcome\": \"already_satisfied\"} no: {\"outcome\":\"question\",\"text\":\"A or B?\"}",
                question("A or B?"),
            ),
            (
                "{\"outcome\": \"question\", \"text\": \"...\"}",
                Claim::Done,
            ),
            ("{\"outcome\": \"question\"}", Claim::Done),
            ("{\"outcome\": \"done\"}", Claim::Done),
            ("{\"outcome\": 7}", Claim::Done),
            ("{\"outcome\": \"already_satisfied\"", Claim::Done),
            (
                "<think>{\"outcome\": \"already_satisfied\"}</think> Done.",
                Claim::Done,
            ),
        ] {
            assert_eq!(Claim::read(answer.as_bytes()), claim, "{answer}");
        }
    }
}
