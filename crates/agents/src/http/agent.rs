//! A model behind an HTTP API as reviewer and as applier.

use std::sync::Arc;

use async_trait::async_trait;
use review::events::AgentRole;
use review::{
    Allowance, Applier, ApplyReport, ApplyRequest, Malformed, ReviewAnswer, ReviewRequest, Reviewer,
};
use review_flow::Step;
use review_store::ConfineError;
use review_types::{AgentError, ModelId, Usage};
use serde_json::Value as Json;

use super::edits::{NoEdits, edited, schema};
use super::exchange::Exchanged;
use super::message::message;
use super::profile::{HttpProfile, ProfileName};
use super::{Connections, NAME};
use crate::AgentContext;
use crate::caller::{Caller, NoAnswer};
use crate::client::review_schema;
use crate::completion::{Completer, Completion, CompletionRequest};
use crate::outcome::{CallEnd, ExitCodes, outcome};
use crate::prompts::{self, LessonPrompt, Prompt};
use crate::stream::Observed;

/// A language model that is asked over HTTP.
///
/// It has no tools: the artifact goes to it in full, and it can neither read
/// nor change anything else. As applier it answers with edits, which are all
/// checked before the first is made.
pub struct HttpAgent {
    pub(super) written: String,
    pub(super) profile: HttpProfile,
    pub(super) connections: Connections,
    pub(super) context: Arc<AgentContext>,
}

/// One call, before it is made.
pub(super) struct Call<'a> {
    pub(super) role: AgentRole,
    pub(super) step: &'a Step,
    pub(super) schema: Json,
    pub(super) allowance: Allowance,
}

/// A call that gave an answer.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) by: ModelId,
    pub(super) usage: Option<Usage>,
}

impl HttpAgent {
    /// The model of `profile`, which is named `name`, in the world of `context`.
    #[must_use]
    pub fn new(
        name: &ProfileName,
        profile: HttpProfile,
        connections: Connections,
        context: Arc<AgentContext>,
    ) -> Self {
        Self {
            written: format!("{NAME}:{name}"),
            profile,
            connections,
            context,
        }
    }

    pub(super) async fn call(
        &self,
        call: Call<'_>,
        prompt: Result<Prompt, ConfineError>,
    ) -> Result<Answer, Box<AgentError>> {
        let caller = self.caller(call.role);
        let none = |none: NoAnswer| Box::new(AgentError::from(none));
        let prompt = prompt.map_err(|error| none(caller.no_prompt(&error)))?;
        let exchanged = self.exchange(caller, &call, &prompt).await.map_err(none)?;
        let Exchanged { ending, seen, log } = exchanged;
        let end = CallEnd {
            ending: &ending,
            seen: &seen,
            exits: ExitCodes::Plain,
            changed: &[],
            at: Some(self.context.clock.now()),
            cut_recording: false,
        };
        let usage = self.usage(&seen);
        if let Err(failure) = outcome(&end) {
            if let Some(log) = log {
                log.keep();
            }
            return Err(Box::new(AgentError {
                message: message(caller, &self.profile, &failure, &seen),
                failure,
                usage,
                session: None,
            }));
        }
        if let Some(log) = log {
            log.complete();
        }
        Ok(Answer {
            by: self.answered_by(&seen, prompt.label),
            text: self.context.clean(seen.text.unwrap_or_default()),
            usage,
        })
    }

    /// Makes the edits of an answer: all of them, or none.
    fn edit(&self, answer: &str) -> Result<Option<Malformed>, NoAnswer> {
        let artifact = &self.context.artifact;
        let failed = |error: ConfineError| {
            let caller = self.caller(AgentRole::Applier);
            NoAnswer::not_started(&self.written, format!("{caller}: {error}"))
        };
        match edited(answer, artifact) {
            Ok(files) => {
                let root = artifact.root();
                let made = files
                    .iter()
                    .try_for_each(|(path, bytes)| root.replace(path, bytes));
                made.map(|()| None).map_err(failed)
            }
            Err(NoEdits::Bad(malformed)) => Ok(Some(malformed)),
            Err(NoEdits::Unreadable(error)) => Err(failed(error)),
        }
    }

    fn caller(&self, role: AgentRole) -> Caller<'_> {
        let program = &self.written;
        Caller { role, program }
    }

    fn usage(&self, seen: &Observed) -> Option<Usage> {
        let asked = Some(&self.profile.model);
        self.context.models.usage(seen, asked, None)
    }

    fn answered_by(&self, seen: &Observed, prompt: String) -> ModelId {
        let asked = self.profile.model.to_string();
        ModelId {
            backend: NAME.to_owned(),
            model: Some(seen.model.clone().unwrap_or(asked)),
            prompt: Some(prompt),
        }
    }
}

#[async_trait]
impl Reviewer for HttpAgent {
    async fn review(&self, request: ReviewRequest) -> Result<ReviewAnswer, AgentError> {
        let prompt = prompts::review(
            &request,
            &*self.context.artifact,
            &self.context.prompts.reviewer,
        );
        let call = Call {
            role: AgentRole::Reviewer,
            step: &request.step,
            schema: review_schema(&request.criteria),
            allowance: request.allowance,
        };
        let answer = self.call(call, prompt).await.map_err(|error| *error)?;
        Ok(ReviewAnswer::text(answer.text.into_bytes())
            .with_model(answer.by)
            .with_usage(answer.usage))
    }
}

#[async_trait]
impl Applier for HttpAgent {
    async fn apply(&self, request: ApplyRequest) -> Result<ApplyReport, AgentError> {
        let prompt = prompts::apply_edits(
            &request,
            &self.context.artifact,
            &self.context.prompts.applier,
        );
        let call = Call {
            role: AgentRole::Applier,
            step: &request.step,
            schema: schema(),
            allowance: request.allowance,
        };
        let answer = self.call(call, prompt).await.map_err(|error| *error)?;
        let malformed = self.edit(&answer.text).map_err(|none| AgentError {
            usage: answer.usage,
            ..AgentError::from(none)
        })?;
        Ok(ApplyReport::done()
            .with_model(answer.by)
            .with_text(answer.text.into_bytes())
            .with_usage(answer.usage)
            .with_malformed(malformed))
    }
}

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
