//! Messages of Anthropic.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::api::{ApiRow, Question, set};
use super::reply::Reply;
use crate::stream::{ErrorType, Fault, MessageStop, MessageUsage, NoEvent, ReportedError, Text};

pub(super) const ROW: ApiRow = ApiRow {
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    path: &["v1", "messages"],
    models: &["v1", "models"],
    body,
    event,
};

/// The longest answer where the profile names none: the API asks for a number.
const MAX_TOKENS: u32 = 16_384;

fn body(question: &Question<'_>) -> Json {
    let profile = question.profile;
    let max_tokens = profile.max_tokens.map_or(MAX_TOKENS, u32::from);
    let mut body = json!({
        "model": profile.model.as_str(),
        "max_tokens": max_tokens,
        "stream": true,
        "messages": [{"role": "user", "content": question.prompt}],
    });
    let format = question
        .schema
        .map(|schema| json!({"format": {"type": "json_schema", "schema": schema}}));
    set(&mut body, "output_config", format);
    body
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: EventKind,
    message: Option<Message>,
    delta: Option<Delta>,
    usage: Option<MessageUsage>,
    error: Option<WireError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    MessageStart,
    ContentBlockDelta,
    MessageDelta,
    MessageStop,
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    usage: Option<MessageUsage>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type", default)]
    kind: DeltaKind,
    text: Option<Text>,
    stop_reason: Option<MessageStop>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DeltaKind {
    TextDelta,
    #[default]
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
struct WireError {
    #[serde(rename = "type", default)]
    kind: ErrorType,
    #[serde(default)]
    message: Text,
}

fn event(data: &[u8], reply: &mut Reply) -> Result<(), NoEvent> {
    let event: Event = serde_json::from_slice(data).map_err(|_| NoEvent)?;
    match (event.kind, event.message, event.delta) {
        (EventKind::MessageStart, Some(message), _) => {
            reply.model(message.model.as_deref());
            consume(message.usage.as_ref(), reply);
        }
        (EventKind::ContentBlockDelta, _, Some(delta)) if delta.kind == DeltaKind::TextDelta => {
            reply.say(&delta.text.unwrap_or_default().0);
        }
        (EventKind::MessageDelta, _, Some(delta)) => {
            consume(event.usage.as_ref(), reply);
            if let Some(stop) = delta.stop_reason {
                reply.stop(stop.into());
            }
        }
        (EventKind::MessageStop, ..) => reply.end(),
        (EventKind::Error, ..) => {
            let WireError { kind, message } = event.error.unwrap_or_default();
            let error = ReportedError::new(Fault::Service, &message.0);
            reply.fail(error.status(kind.status()));
        }
        (
            EventKind::MessageStart
            | EventKind::ContentBlockDelta
            | EventKind::MessageDelta
            | EventKind::Other,
            ..,
        ) => {}
    }
    Ok(())
}

/// The figures of later events are totals; those that they lack stay.
fn consume(usage: Option<&MessageUsage>, reply: &mut Reply) {
    let Some(usage) = usage else { return };
    let sum = reply.usage();
    sum.cache_read = sum.cache_read.max(usage.cache_read_input_tokens);
    sum.cache_write = sum.cache_write.max(usage.cache_creation_input_tokens);
    sum.input = sum.input.max(usage.input());
    sum.output = sum.output.max(usage.output_tokens);
}

#[cfg(test)]
mod tests {
    use super::super::api::tests::{bodies, seen};
    use super::super::profile::Api;
    use super::*;
    use crate::stream::{Consumption, StopReason};

    #[test]
    fn a_question_names_model_length_and_schema() {
        let messages = json!([{"role": "user", "content": "Review."}]);
        let bare = json!({
            "model": "m-1", "max_tokens": 16_384, "stream": true, "messages": messages,
        });
        let full = json!({
            "model": "m-1", "max_tokens": 9, "stream": true, "messages": messages,
            "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}},
        });
        assert_eq!(bodies(&ROW, Api::Messages), [bare, full]);
    }

    fn delta(text: &str) -> Json {
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
    }

    #[test]
    fn an_answer_is_its_text_parts_and_the_last_totals() {
        let seen = seen(
            &ROW,
            &[
                json!({"type": "message_start", "message": {"model": "m-1-x", "usage": {
                    "input_tokens": 10, "cache_creation_input_tokens": 3,
                    "cache_read_input_tokens": 4, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "ping"}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}}),
                delta("a"),
                delta("b"),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20, "input_tokens": null}}),
                json!({"type": "message_stop"}),
            ],
        );
        assert_eq!(seen.text.as_deref(), Some("ab"));
        assert_eq!(seen.model.as_deref(), Some("m-1-x"));
        assert_eq!(seen.terminal, Some(StopReason::Stop));
        let usage = Consumption {
            input: 17,
            cache_read: 4,
            cache_write: 3,
            output: 20,
            ..Consumption::default()
        };
        assert_eq!((seen.usage, seen.unread_lines), (Some(usage), 0));
    }

    #[test]
    fn a_reason_to_stop_is_read_from_its_word() {
        for (word, reason) in [
            ("max_tokens", StopReason::Length),
            ("model_context_window_exceeded", StopReason::Length),
            ("refusal", StopReason::Refusal),
            ("stop_sequence", StopReason::Stop),
        ] {
            let event = json!({"type": "message_delta", "delta": {"stop_reason": word}});
            assert_eq!(seen(&ROW, &[event]).terminal, Some(reason));
        }
    }

    #[test]
    fn an_error_inside_the_stream_has_the_status_of_its_type() {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        let error = seen(&ROW, &[delta("a"), error]).error.unwrap();
        assert_eq!((error.status, &*error.message), (Some(529), "Overloaded"));
    }
}
