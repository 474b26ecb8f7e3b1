//! The stream of `OpenAI` Chat Completions.

use serde_json::{Value as Json, json};

use super::reply::{Event, Message, Sent, deltas};

/// The events of a message, without the line that ends the stream.
pub(crate) fn events(message: &Message<'_>) -> Vec<Event> {
    let chunk = |choices: Json| {
        let id = format!("chatcmpl-{}", message.number);
        let chunk = json!({
            "id": id, "object": "chat.completion.chunk", "created": 0, "model": message.model,
            "choices": choices,
        });
        (None, chunk)
    };
    let said = |delta: Json, finish: Option<&str>| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]))
    };
    let mut events = vec![said(json!({"role": "assistant", "content": ""}), None)];
    let mut calls = 0;
    for part in &message.parts {
        match part {
            Sent::Text(text) => {
                let pieces = deltas(text).into_iter();
                events.extend(pieces.map(|piece| said(json!({"content": piece}), None)));
            }
            Sent::Tool { id, name, args } => {
                let function = json!({"name": name, "arguments": args});
                let call =
                    json!({"index": calls, "id": id, "type": "function", "function": function});
                events.push(said(json!({"tool_calls": [call]}), None));
                calls += 1;
            }
        }
    }
    let usual = if calls > 0 { "tool_calls" } else { "stop" };
    events.push(said(json!({}), Some(message.stop.unwrap_or(usual))));
    let (_, mut last) = chunk(json!([]));
    let input = message.input;
    last["usage"] =
        json!({"prompt_tokens": input, "completion_tokens": 20, "total_tokens": input + 20});
    events.push((None, last));
    events
}
