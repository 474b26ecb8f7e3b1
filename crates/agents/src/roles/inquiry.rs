//! An agent that answers a question of ours, outside of any review and any task.

use std::collections::BTreeMap;

use review::events::AgentRole;
use review::{Allowance, Malformed};
use review_flow::{Nonce, Step};
use review_store::RootPath;
use review_types::AgentError;

use super::{Claim, RoleAgent};
use crate::edits::new_files;
use crate::prompts::{LessonPrompt, MessagesPrompt, PickPrompt, PlanPrompt};
use crate::{AgentCall, AgentReply};

/// What an agent is asked.
#[derive(Clone, Copy, Debug)]
pub enum Inquiry<'a> {
    /// What follows from feedback.
    Lesson(LessonPrompt<'a>),
    /// The messages that are corrections.
    Messages(MessagesPrompt<'a>),
    /// The task to start next.
    Pick(PickPrompt<'a>),
    /// The tasks of a spec.
    Plan(PlanPrompt<'a>),
}

/// A question of ours.
#[derive(Clone, Debug)]
pub struct InquiryRequest<'a> {
    /// The question.
    pub inquiry: Inquiry<'a>,
    /// Random text for markers around data in the prompt.
    pub nonce: Nonce,
    /// An id that no session has.
    pub session_id: String,
    /// What the call may consume.
    pub allowance: Allowance,
    /// The step that the call belongs to, for its logs.
    pub step: Step,
}

impl Inquiry<'_> {
    /// The name of a step that asks this for the `number`-th time.
    pub fn step(&self, number: u32) -> String {
        match self {
            Self::Lesson(_) => format!("lesson-{number}"),
            Self::Messages(_) => format!("messages-{number}"),
            Self::Pick(_) => format!("pick-{number}"),
            Self::Plan(_) => format!("plan-{number}"),
        }
    }

    /// The part of the prompt that no other one has.
    pub fn own_text(&self) -> String {
        let mut text = String::new();
        match self {
            Self::Lesson(prompt) => {
                text += &prompt.feedback.to_string();
                if let Some(retry) = prompt.retry {
                    text += &retry.message;
                    text += &retry.tail;
                }
            }
            Self::Messages(prompt) => text += &prompt.messages.to_string(),
            Self::Pick(prompt) => text += &prompt.tasks.to_string(),
            Self::Plan(prompt) => {
                text += &String::from_utf8_lossy(prompt.spec.text);
                if let Some(again) = prompt.again {
                    text += again.problems;
                    text += &String::from_utf8_lossy(again.answer);
                }
            }
        }
        text
    }

    /// The same question to another agent, which gave no answer yet.
    pub fn forget_answer(&mut self) {
        match self {
            Self::Lesson(prompt) => prompt.retry = None,
            Self::Messages(_) | Self::Pick(_) => {}
            Self::Plan(prompt) => prompt.again = None,
        }
    }

    /// Who is asked.
    const fn role(&self) -> AgentRole {
        match self {
            Self::Lesson(_) | Self::Messages(_) => AgentRole::Reviewer,
            Self::Pick(_) | Self::Plan(_) => AgentRole::Implementer,
        }
    }
}

/// An answer to the question for the tasks of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanAnswer {
    /// The files of the unit with their contents.
    Files(BTreeMap<RootPath, String>),
    /// The spec cannot be planned without an answer to this.
    Question(String),
}

impl PlanAnswer {
    /// Reads an answer.
    ///
    /// # Errors
    /// [`Malformed`] when it is neither.
    pub fn read(answer: &[u8]) -> Result<Self, Malformed> {
        match (new_files(answer), Claim::read(answer)) {
            (Ok(files), _) => Ok(Self::Files(files)),
            (Err(_), Claim::Question(text)) => Ok(Self::Question(text)),
            (Err(malformed), _) => Err(malformed),
        }
    }
}

impl RoleAgent {
    /// Asks, outside of any review. No file may be changed.
    ///
    /// # Errors
    /// [`AgentError`] when the agent does not answer, or changed a file.
    pub async fn ask(&self, request: InquiryRequest<'_>) -> Result<AgentReply, AgentError> {
        let (prompt, schema) = match &request.inquiry {
            Inquiry::Lesson(prompt) => {
                (prompt.render(&request.nonce), Some(LessonPrompt::schema()))
            }
            Inquiry::Messages(prompt) => (
                prompt.render(&request.nonce),
                Some(MessagesPrompt::schema()),
            ),
            Inquiry::Pick(prompt) => {
                let has_tools = self.backend.has_tools();
                let prompt = prompt.render(&request.nonce, has_tools);
                (prompt, Some(PickPrompt::schema()))
            }
            Inquiry::Plan(prompt) => {
                let shown: Vec<_> = prompt.existing.iter().map(|file| file.path).collect();
                let project = (!self.backend.has_tools()).then(|| {
                    let shown = [&[prompt.spec.path], &*shown].concat();
                    self.project_files(&[prompt.spec.text], &shown)
                });
                let nonce = &request.nonce;
                let prompt = prompt.render(nonce, &self.backend, project.as_ref());
                (prompt, None)
            }
        };
        let call = AgentCall {
            role: request.inquiry.role(),
            iteration: 1,
            prompt,
            access: self.read_access(),
            checkout: &self.checkout,
            session: &request.session_id,
            follow_up: None,
            request_id: None,
            answer_schema: schema,
            allowance: request.allowance,
            step: &request.step,
        };
        self.agent.call(call).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_files_or_a_question() {
        let question = r#"{"outcome": "question", "text": "Which store?"}"#;
        let read = |answer: &str| PlanAnswer::read(answer.as_bytes());
        assert_eq!(
            read(question),
            Ok(PlanAnswer::Question("Which store?".to_owned()))
        );
        assert_eq!(
            read(r#"{"files": []}"#),
            Ok(PlanAnswer::Files(BTreeMap::new()))
        );
        assert_eq!(read("I cannot.").unwrap_err().field, "json");
    }
}
