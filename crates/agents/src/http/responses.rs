//! Responses of OpenAI.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::api::{ApiRow, Question, set};
use super::reply::Reply;
use crate::stream::{ErrorCode, Fault, NoEvent, ReportedError, StopReason, Text, nullable};

pub(super) const ROW: ApiRow = ApiRow {
    key: ("authorization", "Bearer "),
    headers: &[],
    path: &["responses"],
    models: &["models"],
    body,
    event,
};

fn body(question: &Question<'_>) -> Json {
    let profile = question.profile;
    let mut body = json!({
        "model": profile.model.as_str(),
        "stream": true,
        "store": false,
        "input": question.prompt,
    });
    set(
        &mut body,
        "max_output_tokens",
        profile.max_tokens.map(u32::from),
    );
    let format = question.schema.map(|schema| {
        json!({"format": {
            "type": "json_schema", "name": "answer", "strict": true, "schema": schema,
        }})
    });
    set(&mut body, "text", format);
    body
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: EventKind,
    delta: Option<Json>,
    response: Option<Response>,
    code: Option<ErrorCode>,
    message: Option<Text>,
    error: Option<WireError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum EventKind {
    #[serde(rename = "response.output_text.delta")]
    TextDelta,
    #[serde(rename = "response.refusal.delta")]
    RefusalDelta,
    #[serde(rename = "response.completed")]
    Completed,
    #[serde(rename = "response.incomplete")]
    Incomplete,
    #[serde(rename = "response.failed")]
    Failed,
    #[serde(rename = "error")]
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Response {
    model: Option<String>,
    usage: Option<WireUsage>,
    error: Option<WireError>,
    incomplete_details: Option<Incomplete>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default, deserialize_with = "nullable")]
    input_tokens: u64,
    #[serde(default, deserialize_with = "nullable")]
    output_tokens: u64,
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "nullable")]
    cached_tokens: u64,
}

#[derive(Default, Deserialize)]
struct WireError {
    code: Option<ErrorCode>,
    #[serde(default, deserialize_with = "nullable")]
    message: Text,
}

#[derive(Default, Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: IncompleteReason,
}

/// Why an answer is not whole; any other reason is a limit.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum IncompleteReason {
    ContentFilter,
    #[default]
    #[serde(other)]
    Other,
}

fn event(data: &[u8], reply: &mut Reply) -> Result<(), NoEvent> {
    let event: Event = serde_json::from_slice(data).map_err(|_| NoEvent)?;
    let mut response = event.response;
    if let Some(response) = &response {
        reply.model(response.model.as_deref());
        consume(response.usage.as_ref(), reply);
    }
    match event.kind {
        EventKind::TextDelta => {
            reply.say(
                event
                    .delta
                    .as_ref()
                    .and_then(Json::as_str)
                    .unwrap_or_default(),
            );
        }
        EventKind::RefusalDelta => reply.stop(StopReason::Refusal),
        EventKind::Completed => {
            reply.stop(StopReason::Stop);
            reply.end();
        }
        EventKind::Incomplete => {
            let details = response.and_then(|response| response.incomplete_details);
            reply.stop(match details.unwrap_or_default().reason {
                IncompleteReason::ContentFilter => StopReason::Refusal,
                IncompleteReason::Other => StopReason::Length,
            });
            reply.end();
        }
        EventKind::Failed => {
            let error = response.as_mut().and_then(|response| response.error.take());
            fail(error.unwrap_or_default(), reply);
        }
        EventKind::Error => fail(
            event.error.unwrap_or(WireError {
                code: event.code,
                message: event.message.unwrap_or_default(),
            }),
            reply,
        ),
        EventKind::Other => {}
    }
    Ok(())
}

fn consume(usage: Option<&WireUsage>, reply: &mut Reply) {
    let Some(usage) = usage else { return };
    let sum = reply.usage();
    sum.input = usage.input_tokens;
    sum.output = usage.output_tokens;
    let details = usage.input_tokens_details.as_ref();
    sum.cache_read = details.map_or(0, |details| details.cached_tokens);
}

fn fail(error: WireError, reply: &mut Reply) {
    let status = error.code.and_then(ErrorCode::status);
    reply.fail(ReportedError::new(Fault::Service, &error.message.0).status(status));
}

#[cfg(test)]
mod tests {
    use super::super::api::tests::{assert_ab, bodies, seen};
    use super::super::profile::Api;
    use super::*;

    #[test]
    fn a_question_names_model_length_and_schema() {
        let bare = json!({"model": "m-1", "stream": true, "store": false, "input": "Review."});
        let full = json!({
            "model": "m-1", "stream": true, "store": false, "input": "Review.",
            "max_output_tokens": 9,
            "text": {"format": {
                "type": "json_schema", "name": "answer", "strict": true, "schema": {"type": "object"},
            }},
        });
        assert_eq!(bodies(&ROW, Api::Responses), [bare, full]);
    }

    #[test]
    fn an_answer_is_its_text_parts_and_the_usage_of_the_end() {
        let seen = seen(
            &ROW,
            &[
                json!({"type": "response.created", "response": {"id": "r", "model": "m-1-x", "usage": null}}),
                json!({"type": "response.output_item.added", "item": {"type": "reasoning"}}),
                json!({"type": "response.reasoning_summary_text.delta", "delta": "hm"}),
                json!({"type": "response.function_call_arguments.delta", "delta": {"x": 1}}),
                json!({"type": "response.output_text.delta", "delta": "a"}),
                json!({"type": "response.output_text.delta", "delta": "b"}),
                json!({"type": "response.output_text.done", "text": "ab"}),
                json!({"type": "response.completed", "response": {"usage": {
                    "input_tokens": 10, "output_tokens": 20,
                    "input_tokens_details": {"cached_tokens": 4}}}}),
            ],
        );
        assert_ab(&seen);
    }

    #[test]
    fn a_reason_to_stop_is_read_from_its_word() {
        let incomplete = |reason: &str| json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}});
        let completed = json!({"type": "response.completed", "response": {}});
        let refusal = json!({"type": "response.refusal.delta", "delta": "no"});
        for (events, reason) in [
            (vec![incomplete("max_output_tokens")], StopReason::Length),
            (vec![incomplete("content_filter")], StopReason::Refusal),
            (vec![refusal, completed.clone()], StopReason::Refusal),
            (vec![completed], StopReason::Stop),
        ] {
            let seen = seen(&ROW, &events);
            assert_eq!(seen.terminal, Some(reason), "{events:?}");
        }
    }

    #[test]
    fn a_failure_has_the_status_of_its_code() {
        for (event, status, message) in [
            (
                json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "no"}}}),
                Some(500),
                "no",
            ),
            (json!({"type": "response.failed", "response": {}}), None, ""),
            (
                json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
                Some(429),
                "slow",
            ),
            (
                json!({"type": "error", "error": {"code": "invalid_api_key", "message": "key"}}),
                Some(401),
                "key",
            ),
        ] {
            let error = seen(&ROW, &[event]).error.unwrap();
            assert_eq!((error.status, &*error.message), (status, message));
        }
    }
}
