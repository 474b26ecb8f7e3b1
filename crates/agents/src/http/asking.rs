//! One question to an API: sent, kept, or played from a recording.

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
use crate::call::CallLog;
use crate::caller::{Caller, NoAnswer, setup_failed};
use crate::deltas::{DeltaRedaction, Framing};
use crate::ending::Ending;
use crate::models::spending;
use crate::recording::{Calls, SentRequest};
use crate::stream::StreamLimits;

impl HttpAgent {
    /// Asks, or plays what was asked.
    ///
    /// # Errors
    /// Why nothing was asked.
    pub(super) async fn exchange<'a>(
        &'a self,
        caller: Caller<'_>,
        call: &AgentCall<'a>,
    ) -> Result<Exchanged<'a>, NoAnswer> {
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
        let deltas = DeltaRedaction::new(Framing::Events, &context.redactor);
        let log = CallLog::new(&context.run, call.step).of_events(deltas);
        let limits = StreamLimits::default();
        let spent = spending(context, call.allowance, Some(&self.profile.model), None);
        let reading =
            Reading::new(self.profile.api, limits, &context.redactor, Some(log)).until(spent);
        let watch = CallWatch::start(context, call).map(|call| WatchedReply {
            call,
            usage: Box::new(|seen| context.models.usage(seen, Some(&self.profile.model), None)),
        });
        let reading = reading.watched(watch);
        let exchange = Exchange::new(reading, &context.redactor);
        let wait = || Wait::new(&context.limits_now(), context.stop.clone());
        match &*context.calls {
            Calls::Live => {
                let sending = self.sending(caller, &question)?;
                Ok(sending.send(wait(), exchange, None).await)
            }
            Calls::Recorded(recorder) => {
                let sending = self.sending(caller, &question);
                let sent = self.sent(sending.as_ref().ok());
                let (name, redactor) = (&self.written, &context.redactor);
                let begun = recorder.begin_http(call.step, name, &sent, redactor);
                let (case, mut tape) = begun.ok_or_else(|| self.stopped(caller))?;
                let exchanged = match sending {
                    Ok(sending) => Ok(sending.send(wait(), exchange, Some(&mut tape)).await),
                    Err(none) => {
                        tape.not_asked(&none.failure, &none.message);
                        Err(none)
                    }
                };
                let ending = match &exchanged {
                    Ok(exchanged) => exchanged.ending.clone(),
                    Err(_) => Ending::NotStarted(name.clone()),
                };
                recorder
                    .end_http(context, call.checkout, case, tape, &ending)
                    .await;
                exchanged
            }
            Calls::Replayed(player) => {
                let played = player.play_http(call.step);
                let played = played.ok_or_else(|| self.stopped(caller))?;
                played.play(exchange)
            }
        }
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

    /// What is sent, as it is kept.
    fn sent(&self, sending: Option<&Sending<'_>>) -> SentRequest {
        let request = sending.map(|sending| &sending.request);
        let url = request.map_or_else(
            || self.profile.base_url().to_string(),
            |request| request.url().to_string(),
        );
        let body = request.and_then(|request| request.body()?.as_bytes());
        SentRequest {
            argv: vec![b"POST".to_vec(), url.into_bytes()],
            stdin: body.unwrap_or_default().to_vec(),
            api: Some(self.profile.api),
            ..SentRequest::default()
        }
    }

    /// A call that was not made, since its recording has a fault.
    fn stopped(&self, caller: Caller<'_>) -> NoAnswer {
        setup_failed(format!("{caller} was not asked"))
    }
}
