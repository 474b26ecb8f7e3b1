//! Anthropic Messages, in events or whole.

use serde_json::{Value as Json, json};

use super::reply::{Event, Sent, deltas};

/// A message without content.
fn empty(model: &str, number: u32, input: u64) -> Json {
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant",
        "model": model, "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": input, "output_tokens": 1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

/// Why a message stops, unless `given` says so.
fn stop_reason<'a>(parts: &[Sent], given: Option<&'a str>) -> &'a str {
    let calls_tool = parts.iter().any(|part| matches!(part, Sent::Tool { .. }));
    given.unwrap_or(if calls_tool { "tool_use" } else { "end_turn" })
}

/// A whole message.
pub(crate) fn whole(
    parts: &[Sent],
    stop: Option<&str>,
    model: &str,
    (number, input): (u32, u64),
) -> Json {
    let content = parts.iter().map(|part| match part {
        Sent::Text(text) => json!({"type": "text", "text": text}),
        Sent::Tool { id, name, args } => {
            let input: Json = serde_json::from_str(args).unwrap_or_default();
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input})
        }
    });
    let mut message = empty(model, number, input);
    message["content"] = content.collect();
    message["stop_reason"] = stop_reason(parts, stop).into();
    message["usage"]["output_tokens"] = 20.into();
    message
}

/// The events of a message.
pub(crate) fn events(
    parts: &[Sent],
    stop: Option<&str>,
    model: &str,
    (number, input): (u32, u64),
) -> Vec<Event> {
    let stop = stop_reason(parts, stop);
    let start = json!({"message": empty(model, number, input)});
    let mut events = vec![event("message_start", start)];
    for (at, part) in parts.iter().enumerate() {
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
            "delta": {"stop_reason": stop, "stop_sequence": null},
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
