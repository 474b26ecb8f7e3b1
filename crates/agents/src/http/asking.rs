//! One question to an API.

use review_types::{AgentError, Failure};

use super::agent::HttpAgent;
use super::api::Question;
use super::call::Sending;
use super::exchange::{Exchange, Exchanged};
use super::reading::{Reading, WatchedReply};
use super::request;
use super::wait::Wait;
use crate::AgentCall;
use crate::activity::CallWatch;
use crate::caller::{Caller, NoAnswer};
use crate::stream::{StreamLimits, cut_when_spent};

impl HttpAgent {
    /// Asks.
    ///
    /// # Errors
    /// Why nothing was asked.
    pub(super) async fn exchange(
        &self,
        caller: Caller<'_>,
        call: &AgentCall<'_>,
    ) -> Result<Exchanged, NoAnswer> {
        let context = &self.context;
        let too_large = context
            .models
            .too_large(Some(&self.profile.model), call.prompt.text.len());
        if let Some(why) = too_large {
            return Err(caller.not_called("was not asked", why));
        }
        let question = Question {
            profile: &self.profile,
            prompt: &String::from_utf8_lossy(&call.prompt.text),
            schema: call
                .answer_schema
                .as_ref()
                .filter(|_| self.profile.structured_output),
        };
        let limits = StreamLimits::default();
        let spent = cut_when_spent(context, call.allowance, Some(&self.profile.model), None);
        let reading = Reading::new(self.profile.api, limits, &context.redactor).until(spent);
        let watch = CallWatch::start(context, call).map(|call| WatchedReply {
            call,
            usage: Box::new(|seen| context.models.usage(seen, Some(&self.profile.model), None)),
        });
        let reading = reading.watched(watch);
        let exchange = Exchange::new(reading, &context.redactor);
        let sending = self.sending(caller, &question)?;
        let wait = Wait::new(&context.limits_now(), context.stop.clone());
        Ok(sending.send(wait, exchange).await)
    }

    /// A question that can be sent.
    fn sending(
        &self,
        caller: Caller<'_>,
        question: &Question<'_>,
    ) -> Result<Sending<'_>, NoAnswer> {
        let request = request::ask(question, &self.context.env);
        let request = request.map_err(|error| {
            let message = format!("{caller} was not asked: {error}");
            Box::new(AgentError::new(Failure::AuthFailed, message))
        })?;
        let client = self.connections.client(&self.profile.base_url());
        let client = client.map_err(|error| caller.not_called("was not asked", error))?;
        Ok(Sending { client, request })
    }
}
