//! What a request asks, whatever its API.

use serde_json::Value as Json;

/// The API of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages.
    Messages,
    /// `OpenAI` Responses.
    Responses,
    /// `OpenAI` Chat Completions.
    Chat,
    /// Gemini.
    Gemini,
}

impl Api {
    /// The API of a path.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        [
            ("/messages", Self::Messages),
            ("/responses", Self::Responses),
            ("/chat/completions", Self::Chat),
            (":streamGenerateContent", Self::Gemini),
        ]
        .into_iter()
        .find_map(|(end, api)| path.ends_with(end).then_some(api))
    }
}

/// A request as the rules of a script see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) api: Api,
    pub(crate) model: String,
    /// Everything that was said before, without the system's part.
    pub(crate) said: String,
    /// The names of the tools that are offered.
    pub(crate) tools: Vec<String>,
    /// One more than the answers of the model in the history.
    pub(crate) step: u32,
    /// Whether the answer is to come in events.
    pub(crate) is_streamed: bool,
}

impl Asked {
    pub(crate) fn new(api: Api, path: &str, body: &Json) -> Self {
        let mut asked = Self {
            api,
            model: match api {
                Api::Messages | Api::Responses | Api::Chat => text(&body["model"]),
                Api::Gemini => model_of_path(path).to_owned(),
            },
            said: String::new(),
            tools: list(&body["tools"]).iter().flat_map(tool_names).collect(),
            step: 1,
            is_streamed: body["stream"] == true,
        };
        let history = &body[match api {
            Api::Messages | Api::Chat => "messages",
            Api::Responses => "input",
            Api::Gemini => "contents",
        }];
        // Responses take what a user says as a bare text, too.
        asked.said.push_str(history.as_str().unwrap_or_default());
        let mut was_model = false;
        for item in list(history) {
            let is_model = is_of_model(item);
            asked.step += u32::from(is_model && !was_model);
            was_model = is_model;
            if !matches!(item["role"].as_str(), Some("system" | "developer")) {
                asked.said.push_str(&text(item));
                asked.said.push('\n');
            }
        }
        asked
    }

    /// What is in quotes after the last `"name"`.
    pub(crate) fn quoted_after(&self, name: &str) -> Option<&str> {
        let (_, after) = self.said.rsplit_once(&format!("\"{name}\""))?;
        after.split('"').nth(1)
    }
}

/// Whether an item of the history is the model's: codex lists its calls of
/// tools apart from its messages.
fn is_of_model(item: &Json) -> bool {
    match item["type"].as_str() {
        Some("function_call" | "reasoning") => true,
        _ => item["role"] == "assistant" || item["role"] == "model",
    }
}

/// The model in a path such as `/v1beta/models/NAME:streamGenerateContent`.
fn model_of_path(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split_once(':').map_or(name, |(name, _)| name)
}

/// The tools of an item of the list: Gemini has a list in each.
fn tool_names(tool: &Json) -> Vec<String> {
    match &tool["functionDeclarations"] {
        Json::Array(tools) => tools.iter().map(tool_name).collect(),
        _ => vec![tool_name(tool)],
    }
}

fn tool_name(tool: &Json) -> String {
    let named = [&tool["function"]["name"], &tool["name"], &tool["type"]];
    named
        .into_iter()
        .find_map(Json::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The strings of a content of any shape.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let texts: Vec<_> = items.iter().map(text).collect();
            texts.join("\n")
        }
        Json::Object(object) => {
            let content = ["content", "text", "output", "arguments"]
                .into_iter()
                .chain(["parts", "functionResponse", "response"]);
            let content = content.filter_map(|key| object.get(key)).next();
            content.map(text).unwrap_or_default()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_api_is_known_by_the_end_of_its_path() {
        for (path, api) in [
            ("/v1/messages?beta=true", Some(Api::Messages)),
            ("/v1/responses", Some(Api::Responses)),
            ("/v1/chat/completions", Some(Api::Chat)),
            (
                "/v1beta/models/m:streamGenerateContent?alt=sse",
                Some(Api::Gemini),
            ),
            ("/v1beta/models/m:countTokens", None),
            ("/v1/models", None),
            ("/v1/messages/count_tokens", None),
        ] {
            assert_eq!(Api::of_path(path), api, "{path}");
        }
    }

    #[test]
    fn every_api_says_the_same_in_its_own_way() {
        let said = "review it: \"review_id\" is \"a-1\"";
        let bodies = [
            (
                Api::Messages,
                json!({
                    "model": "m", "system": [{"type": "text", "text": "be strict"}],
                    "tools": [{"name": "Read"}],
                    "messages": [
                        {"role": "user", "content": said},
                        {"role": "assistant", "content": [{"type": "tool_use", "name": "Read"}]},
                        {"role": "user", "content": [{"type": "tool_result", "content": "file"}]},
                    ],
                }),
            ),
            (
                Api::Responses,
                json!({
                    "model": "m", "instructions": "be strict", "tools": [{"type": "function", "name": "Read"}],
                    "input": [
                        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": said}]},
                        {"type": "reasoning", "summary": []},
                        {"type": "function_call", "name": "Read", "arguments": ""},
                        {"type": "function_call_output", "output": "file"},
                    ],
                }),
            ),
            (
                Api::Chat,
                json!({
                    "model": "m", "tools": [{"type": "function", "function": {"name": "Read"}}],
                    "messages": [
                        {"role": "system", "content": "be strict"},
                        {"role": "user", "content": said},
                        {"role": "assistant", "content": ""},
                        {"role": "tool", "content": "file"},
                    ],
                }),
            ),
            (
                Api::Gemini,
                json!({
                    "systemInstruction": {"parts": [{"text": "be strict"}]},
                    "tools": [{"functionDeclarations": [{"name": "Read"}]}],
                    "contents": [
                        {"role": "user", "parts": [{"text": said}]},
                        {"role": "model", "parts": [{"functionCall": {"name": "Read", "args": {}}}]},
                        {"role": "user", "parts": [
                            {"functionResponse": {"name": "Read", "response": {"output": "file"}}},
                        ]},
                    ],
                }),
            ),
        ];
        for (api, body) in bodies {
            let asked = Asked::new(api, "/v1beta/models/m:streamGenerateContent", &body);
            let lines: Vec<_> = asked.said.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(lines, [said, "file"], "{api:?}");
            assert_eq!(asked.quoted_after("review_id"), Some("a-1"));
            assert_eq!(asked.quoted_after("run"), None);
            assert_eq!((&*asked.model, asked.step), ("m", 2), "{api:?}");
            assert_eq!(asked.tools, ["Read"], "{api:?}");
        }
    }

    #[test]
    fn responses_take_a_bare_text() {
        let asked = Asked::new(
            Api::Responses,
            "/v1/responses",
            &json!({"model": "m", "input": "Review."}),
        );
        assert_eq!((&*asked.said, asked.step), ("Review.", 1));
    }
}
