//! Anthropic Messages, in events or whole.

use serde_json::{Value as Json, json};

use super::reply::{Event, Message, Sent, deltas};

/// A message without content.
fn empty(message: &Message<'_>) -> Json {
    json!({
        "id": format!("msg_{}", message.number), "type": "message", "role": "assistant",
        "model": message.model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": message.input, "output_tokens": 1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

/// Why a message stops.
fn stop_reason<'a>(message: &Message<'a>) -> &'a str {
    let mut parts = message.parts.iter();
    let calls_tool = parts.any(|part| matches!(part, Sent::Tool { .. }));
    let usual = if calls_tool { "tool_use" } else { "end_turn" };
    message.stop.unwrap_or(usual)
}

/// A whole message.
pub(crate) fn whole(message: &Message<'_>) -> Json {
    let content = message.parts.iter().map(|part| match part {
        Sent::Text(text) => json!({"type": "text", "text": text}),
        Sent::Tool { id, name, args } => {
            let input: Json = serde_json::from_str(args).unwrap_or_default();
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input})
        }
    });
    let mut whole = empty(message);
    whole["content"] = content.collect();
    whole["stop_reason"] = stop_reason(message).into();
    whole["usage"]["output_tokens"] = 20.into();
    whole
}

/// The events of a message.
pub(crate) fn events(message: &Message<'_>) -> Vec<Event> {
    let start = json!({"message": empty(message)});
    let mut events = vec![event("message_start", start)];
    for (at, part) in message.parts.iter().enumerate() {
        let (block, kind, field, text) = match part {
            Sent::Text(text) => (
                json!({"type": "text", "text": ""}),
                "text_delta",
                "text",
                text,
            ),
            Sent::Tool { id, name, args } => (
                json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": {}}),
                "input_json_delta",
                "partial_json",
                args,
            ),
        };
        let start = json!({"index": at, "content_block": block});
        events.push(event("content_block_start", start));
        for piece in deltas(text) {
            let delta = json!({"index": at, "delta": {"type": kind, field: piece}});
            events.push(event("content_block_delta", delta));
        }
        events.push(event("content_block_stop", json!({"index": at})));
    }
    events.push(event(
        "message_delta",
        json!({
            "delta": {"stop_reason": stop_reason(message), "stop_sequence": null},
            "usage": {"output_tokens": 20},
        }),
    ));
    events.push(event("message_stop", json!({})));
    events
}

fn event(kind: &'static str, mut data: Json) -> Event {
    data["type"] = kind.into();
    (Some(kind), data)
}
