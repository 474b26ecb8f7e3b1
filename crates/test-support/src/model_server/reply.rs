//! What is answered.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::asked::{Api, Asked};
use super::{chat, gemini, messages, responses};

/// An event of a stream: its name, where the API gives it one, and its data.
pub(crate) type Event = (Option<&'static str>, Json);

/// The bytes of a string that come in one event.
const DELTA: usize = 40;

/// An answer: the parts of a message, or another status.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The parts of the message.
    pub parts: Vec<Part>,
    /// Why the model stopped, in the words of its API; by default that it is
    /// done, or that it calls a tool.
    pub stop: Option<String>,
    /// A status that is not 200; the message of its error is [`Self::error`].
    pub status: Option<u16>,
    /// The message of the error.
    pub error: String,
    /// Headers of the answer beside the usual ones.
    pub headers: BTreeMap<String, String>,
    /// A body that is sent as it is, instead of a stream.
    pub body: Option<String>,
    /// The number of events after which the connection is cut.
    pub cut_after: Option<usize>,
    /// The tokens that it counts for a request, in place of one for each word and a few
    /// more.
    pub input_tokens: Option<u64>,
    /// Whether nothing is answered until the client is gone.
    pub hangs: bool,
}

/// A part of a message.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text, in which `{{review_id}}` and `{{end_id}}` stand for the ids that were asked
    /// for; without an `end_id` in the request it is null.
    Text(String),
    /// A call of a tool.
    Tool(Tool),
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name, as the client has it.
    pub name: String,
    /// Its arguments.
    pub args: Json,
}

/// A part as it is sent.
pub(crate) enum Sent {
    Text(String),
    Tool {
        id: String,
        name: String,
        args: String,
    },
}

/// An answer as an API writes it.
pub(crate) struct Message<'a> {
    pub(crate) parts: Vec<Sent>,
    pub(crate) stop: Option<&'a str>,
    pub(crate) model: &'a str,
    /// The number of the answer, from 1.
    pub(crate) number: u32,
    /// The tokens of the request.
    pub(crate) input: u64,
}

impl Message<'_> {
    /// Its events in the form of an API.
    pub(crate) fn events(&self, api: Api) -> Vec<Event> {
        match api {
            Api::Messages => messages::events(self),
            Api::Responses => responses::events(self),
            Api::Chat => chat::events(self),
            Api::Gemini => gemini::events(self),
        }
    }
}

impl Reply {
    /// Answer number `number`, to `asked`.
    pub(crate) fn message<'a>(&'a self, asked: &'a Asked, number: u32) -> Message<'a> {
        // The overhead of a template, and two for each word.
        let words = asked.said.split(|c: char| !c.is_alphanumeric());
        let input = 100 + 2 * words.count() as u64;
        Message {
            parts: self.sent(asked, number),
            stop: self.stop.as_deref(),
            model: &asked.model,
            number,
            input: self.input_tokens.unwrap_or(input),
        }
    }

    /// The parts as answer number `number` to `asked`.
    fn sent(&self, asked: &Asked, number: u32) -> Vec<Sent> {
        let review_id = asked.quoted_after("review_id").unwrap_or_default();
        let end_id = asked.quoted_after("end_id");
        let end_id = end_id.map_or_else(|| "null".to_owned(), |id| format!("\"{id}\""));
        let filled = |text: &str| {
            let text = text.replace("{{review_id}}", review_id);
            text.replace("\"{{end_id}}\"", &end_id)
        };
        let parts = self.parts.iter().enumerate();
        parts
            .map(|(at, part)| match part {
                Part::Text(text) => Sent::Text(filled(text)),
                Part::Tool(tool) => Sent::Tool {
                    id: format!("call_{number}_{at}"),
                    name: tool.name.clone(),
                    args: match &tool.args {
                        Json::String(args) => filled(args),
                        args => filled(&args.to_string()),
                    },
                },
            })
            .collect()
    }
}

/// The body of an error as an API writes it.
pub(crate) fn error_body(api: Option<Api>, status: u16, message: &str) -> Json {
    let (anthropic, openai) = match status {
        400 => ("invalid_request_error", "invalid_request_error"),
        401 => ("authentication_error", "invalid_api_key"),
        404 => ("not_found_error", "model_not_found"),
        429 => ("rate_limit_error", "rate_limit_exceeded"),
        529 => ("overloaded_error", "server_error"),
        _ => ("api_error", "server_error"),
    };
    match api {
        Some(Api::Messages) => {
            json!({"type": "error", "error": {"type": anthropic, "message": message}})
        }
        Some(Api::Gemini) => json!({"error": {"code": status, "message": message}}),
        Some(Api::Responses | Api::Chat) | None => {
            json!({"error": {"type": openai, "code": openai, "message": message, "param": null}})
        }
    }
}

/// The pieces in which a string comes; at least one.
pub(crate) fn deltas(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(DELTA));
        pieces.push(piece);
        if after.is_empty() {
            return pieces;
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_in_pieces_that_are_whole_characters() {
        let long = "ü".repeat(21);
        assert_eq!(deltas(&long), ["ü".repeat(20).as_str(), "ü"]);
        assert_eq!(deltas("short"), ["short"]);
        assert_eq!(deltas(""), [""]);
    }
}
