//! The stream of `OpenAI` Responses.

use serde_json::{Value as Json, json};

use super::reply::{Event, Message, Sent, deltas};

/// The events of a response.
pub(crate) fn events(message: &Message<'_>) -> Vec<Event> {
    let (number, input) = (message.number, message.input);
    let whole = |status: &str, output: &[Json]| {
        json!({
            "id": format!("resp_{number}"), "object": "response", "created_at": 0,
            "status": status, "model": message.model, "output": output,
            "usage": {
                "input_tokens": input, "output_tokens": 20, "total_tokens": input + 20,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        })
    };
    let mut stream = Stream(Vec::new());
    let opening = json!({"response": whole("in_progress", &[])});
    stream.push("response.created", opening.clone());
    stream.push("response.in_progress", opening);
    let mut output = Vec::new();
    for (at, part) in message.parts.iter().enumerate() {
        let item = item(part, &format!("item_{number}_{at}"));
        stream.item(at, part, &item);
        output.push(item);
    }
    match message.stop {
        None => {
            let response = whole("completed", &output);
            stream.push("response.completed", json!({"response": response}));
        }
        Some(reason) => {
            let mut response = whole("incomplete", &output);
            response["incomplete_details"] = json!({"reason": reason});
            stream.push("response.incomplete", json!({"response": response}));
        }
    }
    stream.0
}

fn item(part: &Sent, id: &str) -> Json {
    match part {
        Sent::Text(text) => json!({
            "type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Sent::Tool {
            id: call,
            name,
            args,
        } => {
            let mut item = json!({
                "type": "function_call", "id": id, "call_id": call, "name": name,
                "arguments": args, "status": "completed",
            });
            // The tools of an MCP server are in a namespace of their own.
            if let Some((server, tool)) = name
                .strip_prefix("mcp__")
                .and_then(|rest| rest.split_once("__"))
            {
                item["namespace"] = format!("mcp__{server}").into();
                item["name"] = tool.into();
            }
            item
        }
    }
}

/// Events, numbered from 1.
struct Stream(Vec<Event>);

impl Stream {
    fn push(&mut self, kind: &'static str, mut data: Json) {
        data["type"] = kind.into();
        data["sequence_number"] = (self.0.len() + 1).into();
        self.0.push((Some(kind), data));
    }

    fn item(&mut self, at: usize, part: &Sent, item: &Json) {
        let added = json!({"output_index": at, "item": item});
        self.push("response.output_item.added", added);
        match part {
            Sent::Text(text) => self.text(at, text, &item["id"]),
            Sent::Tool { args, .. } => {
                let kind = "response.function_call_arguments.delta";
                let delta =
                    |piece| json!({"output_index": at, "item_id": item["id"], "delta": piece});
                deltas(args)
                    .iter()
                    .for_each(|piece| self.push(kind, delta(piece)));
            }
        }
        let done = json!({"output_index": at, "item": item});
        self.push("response.output_item.done", done);
    }

    fn text(&mut self, at: usize, text: &str, id: &Json) {
        let place = json!({"output_index": at, "item_id": id, "content_index": 0});
        let with = |name: &str, value: Json| {
            let mut event = place.clone();
            event[name] = value;
            event
        };
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        self.push("response.content_part.added", with("part", part("")));
        for piece in deltas(text) {
            self.push("response.output_text.delta", with("delta", piece.into()));
        }
        self.push("response.output_text.done", with("text", text.into()));
        self.push("response.content_part.done", with("part", part(text)));
    }
}
