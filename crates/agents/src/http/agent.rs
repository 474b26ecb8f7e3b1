//! A model behind an HTTP API as reviewer and as applier.

use std::sync::Arc;

use async_trait::async_trait;
use review::events::AgentRole;
use review::{
    Allowance, AnswerContent, Applier, ApplyReport, ApplyRequest, Malformed, ReviewAnswer,
    ReviewRequest, Reviewer, Step,
};
use review_store::ConfineError;
use review_types::{AgentError, Failure, ModelId, Usage};
use serde_json::Value as Json;

use super::api::Question;
use super::call::{Exchanged, exchange};
use super::edits::{NoEdits, edited, schema, without_nulls};
use super::message::message;
use super::profile::{HttpProfile, ProfileName};
use super::reading::Reading;
use super::request::{self, RequestError};
use super::wait::Wait;
use super::{Connections, NAME};
use crate::AgentContext;
use crate::call::CallLog;
use crate::caller::Caller;
use crate::client::review_schema;
use crate::models::{estimated_tokens, spending};
use crate::no_answer::NoAnswer;
use crate::outcome::{CallEnd, ExitCodes, outcome};
use crate::prompts::{self, Prompt};
use crate::stream::{Observed, StreamLimits};

/// A language model that is asked over HTTP.
///
/// It has no tools: the artifact goes to it in full, and it can neither read
/// nor change anything else. As applier it answers with edits, which are all
/// checked before the first is made.
pub struct HttpAgent {
    written: String,
    profile: HttpProfile,
    connections: Connections,
    context: Arc<AgentContext>,
}

/// One call, before it is made.
struct Call<'a> {
    role: AgentRole,
    step: &'a Step,
    schema: Json,
    allowance: Allowance,
}

/// A call that gave an answer.
struct Answer {
    text: String,
    by: ModelId,
    usage: Option<Usage>,
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

    async fn call(
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
            log.keep(call.step);
            return Err(Box::new(AgentError {
                message: message(caller, &self.profile, &failure, &seen),
                failure,
                usage,
                session: None,
            }));
        }
        Ok(Answer {
            by: self.answered_by(&seen, prompt.label),
            text: self.clean(seen.text.unwrap_or_default()),
            usage,
        })
    }

    async fn exchange(
        &self,
        caller: Caller<'_>,
        call: &Call<'_>,
        prompt: &Prompt,
    ) -> Result<Exchanged, NoAnswer> {
        self.check_window(caller, prompt)?;
        let context = &self.context;
        let question = Question {
            profile: &self.profile,
            prompt: &String::from_utf8_lossy(&prompt.text),
            schema: self.profile.structured_output.then_some(&call.schema),
        };
        let request = request::ask(&question, &context.env);
        let request = request.map_err(|error| self.not_asked(caller, &error))?;
        let client = self.connections.client(&self.profile.base_url());
        let client = client.map_err(|error| {
            let message = format!("{caller} was not asked: {error}");
            NoAnswer::not_started(&self.written, message)
        })?;
        let log = CallLog::new(&context.run, call.step);
        let api = self.profile.api;
        let limits = StreamLimits::default();
        let spent = spending(context, call.allowance, Some(&self.profile.model));
        let reading = Reading::new(api, limits, &context.redactor, log).until(spent);
        let wait = Wait::new(&context.limits_now(), context.stop.clone());
        Ok(exchange(client, request, wait, reading, &context.redactor).await)
    }

    fn not_asked(&self, caller: Caller<'_>, error: &RequestError) -> NoAnswer {
        let message = format!("{caller} was not asked: {error}");
        match error {
            RequestError::NoKey(_) | RequestError::BadKey(_) => NoAnswer {
                failure: Failure::AuthFailed,
                message,
            },
            RequestError::BadUrl(_) => NoAnswer::not_started(&self.written, message),
        }
    }

    /// The text without the secrets that came in pieces.
    fn clean(&self, text: String) -> String {
        let clean = self.context.redactor.redact(text.as_bytes());
        String::from_utf8_lossy(&clean).into_owned()
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
        let names = [Some(self.profile.model.as_str()), seen.model.as_deref()];
        let consumed = seen.usage.as_ref()?;
        Some(self.context.models.usage(consumed, &names))
    }

    /// Holds a prompt to what the model can read.
    fn check_window(&self, caller: Caller<'_>, prompt: &Prompt) -> Result<(), NoAnswer> {
        let model = &self.profile.model;
        let terms = self.context.models.get(model.as_str());
        let tokens = estimated_tokens(prompt.text.len());
        match terms.and_then(|terms| terms.window) {
            Some(window) if tokens > u64::from(window.get()) => {
                let message = format!(
                    "{caller} was not asked: the prompt has about {tokens} tokens (bytes / 3), \
                     and {model} reads {window}"
                );
                Err(NoAnswer::not_started(&self.written, message))
            }
            Some(_) | None => Ok(()),
        }
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
            &self.context.artifact,
            &self.context.prompts.reviewer,
        );
        let call = Call {
            role: AgentRole::Reviewer,
            step: &request.step,
            schema: review_schema(&request.criteria),
            allowance: request.allowance,
        };
        let answer = self.call(call, prompt).await.map_err(|error| *error)?;
        Ok(ReviewAnswer {
            content: AnswerContent::Text(answer.text.into_bytes()),
            by: answer.by,
            session: None,
            usage: answer.usage,
        })
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
        let text = match malformed {
            Some(_) => answer.text,
            None => without_nulls(answer.text),
        };
        Ok(ApplyReport {
            text: text.into_bytes(),
            strayed: Vec::new(),
            malformed,
            by: answer.by,
            session: None,
            usage: answer.usage,
        })
    }
}
