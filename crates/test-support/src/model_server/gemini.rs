//! The stream of Gemini's `streamGenerateContent`.

use serde_json::{Value as Json, json};

use super::reply::{Event, Message, Sent, deltas};

/// The events of a message.
pub(crate) fn events(message: &Message<'_>) -> Vec<Event> {
    let input = message.input;
    let chunk = |part: Json| {
        let candidate = json!({"index": 0, "content": {"role": "model", "parts": [part]}});
        let chunk = json!({
            "responseId": format!("r-{}", message.number), "modelVersion": message.model,
            "candidates": [candidate],
            "usageMetadata": {
                "promptTokenCount": input, "candidatesTokenCount": 20, "totalTokenCount": input + 20,
            },
        });
        (None, chunk)
    };
    let mut events = Vec::new();
    for part in &message.parts {
        match part {
            Sent::Text(text) => {
                let pieces = deltas(text).into_iter();
                events.extend(pieces.map(|piece| chunk(json!({"text": piece}))));
            }
            Sent::Tool { id, name, args } => {
                let args: Json = serde_json::from_str(args).unwrap_or_default();
                let call = json!({"id": id, "name": name, "args": args});
                events.push(chunk(json!({"functionCall": call})));
            }
        }
    }
    let (_, mut last) = chunk(json!({"text": ""}));
    last["candidates"][0]["finishReason"] = json!(message.stop.unwrap_or("STOP"));
    events.push((None, last));
    events
}
