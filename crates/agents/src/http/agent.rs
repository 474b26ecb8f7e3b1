//! A model behind an HTTP API as an agent.

use std::sync::Arc;

use async_trait::async_trait;
use review_process::Stream;
use review_types::{AgentError, ModelId};

use super::exchange::Exchanged;
use super::message::message;
use super::profile::{HttpProfile, ProfileName};
use super::{Connections, NAME};
use crate::call::CallLog;
use crate::caller::{Caller, NoAnswer};
use crate::outcome::{CallEnd, ExitCodes, outcome};
use crate::{Agent, AgentCall, AgentContext, AgentReply, Paths};

/// A language model that is asked over HTTP.
///
/// It has no tools: it can neither read nor change a file, whatever its access.
pub struct HttpAgent {
    pub(super) written: String,
    pub(super) profile: HttpProfile,
    pub(super) connections: Connections,
    pub(super) context: Arc<AgentContext>,
}

impl HttpAgent {
    /// The model of `profile`, which is named `name`, in the world of `context`.
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

    async fn answer(&self, call: &AgentCall<'_>) -> Result<AgentReply, NoAnswer> {
        let caller = Caller {
            program: &self.written,
        };
        let Exchanged { ending, seen, said } = self.exchange(caller, call).await?;
        let end = CallEnd {
            ending: &ending,
            seen: &seen,
            exits: ExitCodes::Plain,
            changed: &[],
            at: Some(self.context.clock.now()),
        };
        let asked = &self.profile.model;
        let usage = self.context.models.usage(&seen, Some(asked), None);
        if let Err(failure) = outcome(&end) {
            self.log(call, &said);
            return Err(Box::new(AgentError {
                message: message(caller, &self.profile, &failure, &seen),
                failure,
                usage,
                session: None,
            }));
        }
        Ok(AgentReply {
            by: ModelId {
                backend: NAME.to_owned(),
                model: Some(seen.model.unwrap_or_else(|| asked.to_string())),
                prompt: Some(call.prompt.label.clone()),
            },
            text: self.context.clean(seen.text),
            session: None,
            usage,
            prompt: None,
            reads: Paths::default(),
            changed: Paths::default(),
            out_of_scope: Vec::new(),
            left_running: false,
        })
    }
}

impl HttpAgent {
    /// Logs the content of an answer that does not count.
    fn log(&self, call: &AgentCall<'_>, said: &str) {
        if said.is_empty() {
            return;
        }
        let mut log = CallLog::new(&self.context.run, call.step);
        log.write(
            Stream::Stdout,
            &self.context.redactor.redact(said.as_bytes()),
        );
        log.keep();
    }
}

#[async_trait]
impl Agent for HttpAgent {
    async fn call(&self, call: AgentCall<'_>) -> Result<AgentReply, AgentError> {
        self.answer(&call).await.map_err(|error| *error)
    }
}
