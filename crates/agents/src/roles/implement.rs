//! An agent that implements a task.

use review::Allowance;
use review::events::AgentRole;
use review_flow::{Nonce, Step};
use review_types::{AgentError, ModelId, Usage};
use serde_json::{Map, Value as Json};

use super::RoleAgent;
use crate::caller::Caller;
use crate::edits::EditScope;
use crate::prompts::{MAX_FILES, ProjectFiles};
use crate::schemas::implement_schema;
use crate::{Access, AgentCall, TaskBrief};

/// A request to implement a task.
#[derive(Clone, Debug)]
pub struct ImplementRequest<'a> {
    /// The task.
    pub brief: TaskBrief<'a>,
    /// Random text for markers around data in the prompt.
    pub nonce: Nonce,
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
    /// What it claims about the task.
    pub says: Claim,
    /// The backend, the model and the prompt.
    pub by: ModelId,
    /// The agent's own session.
    pub session: Option<String>,
    /// What the call consumed, if it is known.
    pub usage: Option<Usage>,
    /// The answer itself.
    pub text: Vec<u8>,
    /// Whether its client ended while processes that it had started still ran.
    pub left_running: bool,
}

/// What an implementer claims about its task. It proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It did the task, or says nothing about it.
    Done,
    /// The task needs no change.
    AlreadySatisfied,
    /// It needs an answer first.
    Question(String),
    /// Its answer was to hold edits, and none was made, for this reason.
    Unusable(String),
}

impl RoleAgent {
    /// Has a task implemented in the checkout. The number of the attempt is the
    /// iteration of the call. For an agent without tools the edits of its answer are made.
    ///
    /// # Errors
    /// [`AgentError`] when the agent failed, or is one that implements nothing.
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
        let (brief, nonce) = (&request.brief, &request.nonce);
        let (access, prompt, answer_schema) = match self.backend.has_tools() {
            true => {
                let prompt = brief.render(prompts, nonce, &self.backend);
                (Access::Implement, prompt, None)
            }
            false => {
                let shown = [brief.file.path, brief.spec.path];
                let project = self.project_files(&brief.texts(), &shown);
                let prompt = brief.render_edits(prompts, nonce, &self.backend, &project);
                (Access::None, prompt, Some(implement_schema()))
            }
        };
        let call = AgentCall {
            role,
            iteration: brief.attempt,
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
        let reply = self.call(call, false).await?;
        let says = match (Claim::read(&reply.text), access) {
            (Claim::Done, Access::None) => {
                let scope = EditScope::Checkout(&self.checkout.artifact);
                let edited = self.edit(&reply.text, scope).map_err(|error| AgentError {
                    usage: reply.usage,
                    ..self.not_called("made no edit", &error)
                })?;
                edited.map_or(Claim::Done, |bad| {
                    let reason = format!("no edit was made: {}: {}", bad.field, bad.message);
                    Claim::Unusable(reason)
                })
            }
            (claim, _) => claim,
        };
        Ok(Implemented {
            says,
            by: reply.by,
            session: reply.session,
            usage: reply.usage,
            text: reply.text,
            left_running: reply.left_running,
        })
    }

    /// What an agent without tools is shown of the project beside `shown` files: its list
    /// of files, and those that `texts` name.
    pub(super) fn project_files(&self, texts: &[&[u8]], shown: &[&str]) -> ProjectFiles {
        let state = self.context.run.state();
        ProjectFiles::gather(self.checkout.root(), &state, texts, shown, MAX_FILES)
    }
}

impl Claim {
    /// The claim of the object that an answer ends with, on lines of its own. One that is
    /// quoted in a sentence claims nothing.
    pub(super) fn read(answer: &[u8]) -> Self {
        let answer = String::from_utf8_lossy(answer);
        let answer = answer.trim_end().trim_end_matches('`').trim_end();
        let starts = answer.rmatch_indices('{').map(|(at, _)| at);
        let starts = starts.filter(|at| {
            let line = answer[..*at].rsplit('\n').next();
            line.is_some_and(|line| line.trim().is_empty())
        });
        let mut objects = starts.filter_map(|at| serde_json::from_str(&answer[at..]).ok());
        objects
            .next()
            .map_or(Self::Done, |object| Self::of(&object))
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
    fn a_claim_is_the_object_that_the_answer_ends_with() {
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
                "{\"outcome\": \"already_satisfied\"}\n{\"outcome\":\"question\",\"text\":\"A or B?\"}",
                question("A or B?"),
            ),
            (
                "Which?\n```json\n{\n  \"outcome\": \"question\",\n  \"text\": \"A?\"\n}\n```\n",
                question("A?"),
            ),
            (
                "I had no need of {\"outcome\": \"question\", \"text\": \"A?\"}",
                Claim::Done,
            ),
            (
                "{\"outcome\": \"question\", \"text\": \"A?\"}\nis what I would have said.",
                Claim::Done,
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
